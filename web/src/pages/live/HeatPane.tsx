import { memo, useMemo, type ReactNode } from 'react'
import { EDGE_ROW } from '../../charts/geometry'
import { Pane } from '../../charts/pane/Pane'
import { PaneOverlay } from '../../charts/pane/PaneOverlay'
import { useChartTheme } from '../../charts/theme'
import type { Cursor } from '../../charts/pane/use-cursor'
import { clock, count, latency, latencyEdge, share } from '../../format'
import type { Column } from '../../live/buffer'
import { axisFor, columnRows, rowsFor, type Axis } from '../../live/latency/cells'
import { quantile } from '../../live/latency/quantile'
import type { LiveView } from '../../live/view'
import { Segmented } from '../../ui/Segmented'
import { heatScene, HEAT_LINES, MAX_COLOUR } from './heat-scene'

export interface PaneProps {
  view: LiveView
  cursor: Cursor
}

const HEIGHT = 288

interface Props extends PaneProps {
  label: string
  absolute: boolean
  onAbsolute: (absolute: boolean) => void
}

/** Latency heatmap with quantile lines. A cell shows a share of its column, or a count. */
export const HeatPane = memo(function HeatPane({ view, cursor, label, absolute, onAbsolute }: Props) {
  const colours = useChartTheme()
  const scene = useMemo(() => heatScene(view, absolute, colours), [view, absolute, colours])
  return (
    <Pane
      title="Latency"
      aside={label}
      end={
        <>
          <span className="legend" aria-hidden="true">
            {HEAT_LINES.map(({ name, colour }) => (
              <span key={name}>
                <i className="line" style={{ background: colour, outline: '1px solid #55606f' }} />
                {name}
              </span>
            ))}
            <span>
              <i className="dot" style={{ background: MAX_COLOUR, outline: '1px solid #55606f' }} />
              max
            </span>
          </span>
          <span className="scale" aria-hidden="true">
            {absolute ? 'few' : '0.001%'}
            <i />
            {absolute ? 'many' : '100%'}
          </span>
          <Segmented
            label="Colour"
            value={absolute ? 'count' : 'share'}
            choices={[
              { value: 'share', label: 'share' },
              { value: 'count', label: 'count' },
            ]}
            onChange={(value) => onAbsolute(value === 'count')}
          />
        </>
      }
      view={view}
      describe={describe}
      height={HEIGHT}
      scene={scene}
      overlay={<PaneOverlay view={view} cursor={cursor} tip={(time, y) => <Tip view={view} time={time} y={y} />} />}
      table={{
        head: ['time', 'n', 'p50', 'p99', 'p99.9', 'max', 'errors'],
        rows: () => view.columns.map(row).reverse(),
      }}
    />
  )
})

function row({ start, totals }: Column): string[] {
  if (totals === undefined) return [clock(start), 'no data', '', '', '', '', '']
  const at = (q: number): string => {
    const value = quantile(totals, q)
    return value === undefined ? '–' : latency(value)
  }
  return [
    clock(start),
    count(totals.n),
    at(0.5),
    at(0.99),
    at(0.999),
    totals.n === 0 ? '–' : latency(totals.maxNs),
    count(totals.errors),
  ]
}

function describe({ columns }: LiveView): string {
  const last = columns.findLast((column) => column.totals !== undefined && column.totals.n > 0)
  if (last === undefined) return 'Latency heatmap: no operations in this window'
  const [time, n, p50, p99, , max] = row(last)
  return `Latency heatmap over time. At ${time}: ${n} operations, median ${p50}, p99 ${p99}, max ${max}`
}

function Tip({ view, time: at, y }: { view: LiveView; time: number; y: number }): ReactNode {
  const column = view.columnAt(at)
  if (column === undefined) return null
  if (column.totals === undefined) return <>{clock(column.start)} · no data arrived</>
  const [time, n, p50, p99, p999, max, errors] = row(column)
  return (
    <>
      <div>
        {time} · {n} operations
      </div>
      <dl>
        <dt>p50</dt>
        <dd>{p50}</dd>
        <dt>p99</dt>
        <dd>{p99}</dd>
        <dt>p99.9</dt>
        <dd>{p999}</dd>
        <dt>max</dt>
        <dd>{max}</dd>
        {errors !== '0' && (
          <>
            <dt>errors</dt>
            <dd>{errors}</dd>
          </>
        )}
      </dl>
      <CellLine column={column} axis={axisFor(view.columns.map(({ totals }) => totals))} y={y} />
    </>
  )
}

function CellLine({ column, axis, y }: { column: Column; axis: Axis; y: number }): ReactNode {
  const totals = column.totals!
  if (totals.n === 0) return null
  const rows = rowsFor(axis)
  const { counts, below, above } = columnRows(totals, rows)
  const edge = EDGE_ROW / HEIGHT
  const words = (name: string, value: number): ReactNode => (
    <div className="mute">
      {name}: {count(value)} ({share(value / totals.n)})
    </div>
  )
  if (y < edge) return words(`above ${latencyEdge(axis.maxNs)}`, above)
  if (y > 1 - edge) return words(`below ${axis.minNs < 1e3 ? '136 ns' : latencyEdge(axis.minNs)}`, below)
  const ns = axis.minNs * (axis.maxNs / axis.minNs) ** (1 - (y - edge) / (1 - 2 * edge))
  const index = rows.edges.findLastIndex((lower) => lower <= ns)
  const value = counts[index]
  return value === undefined
    ? null
    : words(`${latency(rows.edges[index]!)} – ${latency(rows.edges[index + 1]!)}`, value)
}
