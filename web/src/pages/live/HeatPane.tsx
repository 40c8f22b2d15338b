import { memo, useCallback, useMemo, type ReactNode } from 'react'
import { ChartCard } from '../../charts/card/ChartCard'
import { textOf } from '../../charts/spec/formats'
import { count, latency, latencyEdge, share } from '../../format'
import type { Column } from '../../live/buffer'
import { axisFor, columnRows, rowsFor, type Axis } from '../../live/latency/cells'
import { quantile } from '../../live/latency/quantile'
import { useLoaded } from '../../live/use-feed'
import type { LiveView } from '../../live/view'
import { Segmented } from '../../ui/Segmented'
import { heatSpec } from './heat-spec'
import { liveSource, timeFormat } from './live-source'
import { t } from '../../language/text'

const HEIGHT = 320

interface Props {
  view: LiveView
  label: string
  absolute: boolean
  onAbsolute: (absolute: boolean) => void
}

/** Latency heatmap with quantile lines. A cell shows a share of its column, or a count. */
export const HeatPane = memo(function HeatPane({ view, label, absolute, onAbsolute }: Props) {
  const source = useMemo(() => liveSource(view, (shown) => heatSpec(shown, absolute)), [view, absolute])
  const more = useCallback((index: number, y: number | undefined) => cellAt(view, index, y), [view])
  return (
    <ChartCard
      title={t('Latency')}
      events={false}
      aside={label}
      controls={
        <>
          <span className="scale" aria-hidden="true">
            {absolute ? t('few') : '0.001%'}
            <i />
            {absolute ? t('many') : '100%'}
          </span>
          <Segmented
            label={t('Colour')}
            value={absolute ? 'count' : 'share'}
            choices={[
              { value: 'share', label: t('share') },
              { value: 'count', label: t('count') },
            ]}
            onChange={(value) => onAbsolute(value === 'count')}
          />
        </>
      }
      spec={source}
      height={HEIGHT}
      describe={() => describe(view)}
      newestFirst
      loading={!useLoaded(view.feed)}
      more={more}
    />
  )
})

function describe({ columns, feed }: LiveView): string {
  const last = columns.findLast((column) => column.totals !== undefined && column.totals.n > 0)
  if (last?.totals === undefined) return t('Latency heatmap: no operations in this window')
  const { totals, start } = last
  const at = (q: number): string => latency(quantile(totals, q) ?? 0)
  return t(
    'Latency heatmap over time. At {time}: {n, plural, one {# operation} other {# operations}}, median {p50}, p99 {p99}, max {max}',
    { time: textOf(timeFormat(feed), start), n: totals.n, p50: at(0.5), p99: at(0.99), max: latency(totals.maxNs) },
  )
}

/** How many operations the cell under the crosshair has. */
function cellAt(view: LiveView, index: number, y: number | undefined): ReactNode {
  const column = view.columns[index]
  return column === undefined || y === undefined ? null : (
    <CellLine column={column} axis={axisFor(view.columns.map(({ totals }) => totals))} ns={y} />
  )
}

function CellLine({ column: { totals }, axis, ns }: { column: Column; axis: Axis; ns: number }): ReactNode {
  if (totals === undefined || totals.n === 0) return null
  const rows = rowsFor(axis)
  const { counts, below, above } = columnRows(totals, rows)
  const words = (name: string, value: number): ReactNode => (
    <div className="mute">
      {name}
      {': '}
      {count(value)}
      {' ('}
      {share(value / totals.n)})
    </div>
  )
  const index = rows.edges.findLastIndex((lower) => lower <= ns)
  if (index < 0)
    return words(t('below {minNs}', { minNs: axis.minNs < 1e3 ? '136 ns' : latencyEdge(axis.minNs) }), below)
  const value = counts[index]
  return value === undefined
    ? words(t('above {maxNs}', { maxNs: latencyEdge(axis.maxNs) }), above)
    : words(`${latency(rows.edges[index]!)} – ${latency(rows.edges[index + 1]!)}`, value)
}
