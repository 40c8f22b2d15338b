import { memo, useMemo } from 'react'
import { ChartCard } from '../../charts/card/ChartCard'
import { EventScope } from '../../charts/events/scope'
import type { ChartSpec } from '../../charts/spec/spec'
import { change, latency } from '../../format'
import type { Feed } from '../../live/feed'
import { enoughFor, quantile } from '../../live/latency/quantile'
import { useRange } from '../../live/range'
import { useFeed } from '../../live/use-feed'
import { useWritten, writeClass, writeText } from '../../live/use-written'
import { LiveView } from '../../live/view'
import { ScrollTable } from '../../table/ScrollTable'
import { Card } from '../../ui/Card'
import { liveSource, timeFormat } from '../live/live-source'
import { impactOf, quantiles, type Impact } from './impact'
import { t } from '../../language/text'

const ops = [
  { op: 'get', side: 'engine', colours: [1, 3] },
  { op: 'put', side: 'engine', colours: [2, 4] },
] as const

/** The rows of the table. */
const ROWS = ops.flatMap(({ op }) => quantiles.map(([name]) => `${op} ${name}`))

interface Props {
  ns: string
  beginMs: number
  /** undefined while the build runs */
  endMs: number | undefined
}

/**
 * The impact of a build on reads and writes of single records in its namespace: per second, and
 * before against during. A frame draws the chart and writes the figures, and renders nothing.
 */
export const ImpactCards = memo(function ImpactCards({ ns, beginMs, endMs }: Props) {
  const { ms: windowMs, stepMs, words } = useRange()
  const feed = useFeed(windowMs, stepMs)
  const view = useMemo(
    () => ({ feed, parts: ops.map(({ op, side }) => new LiveView(feed, { namespace: ns, op, side })), beginMs, endMs }),
    [feed, ns, beginMs, endMs],
  )
  const source = useMemo(() => liveSource(view, impactSpec), [view])
  return (
    <EventScope value={ns}>
      <ChartCard
        title={t('Latency during the build')}
        aside={
          endMs === undefined
            ? t('reads and writes of single records in {ns}, in the engine; the line marks the start of the build', {
                ns,
              })
            : t(
                'reads and writes of single records in {ns}, in the engine; the lines mark the start of the build, and its end',
                { ns },
              )
        }
        spec={source}
      />
      <Card title={t('Before and during')} aside={t('last {words}, from summed counts', { words })} flush>
        <ImpactTable view={view} />
      </Card>
    </EventScope>
  )
})

interface ImpactView {
  feed: Feed
  /** one for each of `ops` */
  parts: readonly LiveView[]
  beginMs: number
  endMs: number | undefined
}

function impactSpec({ feed, parts, beginMs, endMs }: ImpactView): ChartSpec {
  const range = { from: feed.endMs - feed.windowMs, to: feed.endMs }
  const columns = parts.map((part) => part.columns)
  const marks = [
    { at: beginMs, name: t('build started') },
    ...(endMs === undefined ? [] : [{ at: endMs, name: t('build ended') }]),
  ]
  return {
    x: {
      name: 'time',
      scale: 'time',
      format: timeFormat(feed),
      values: (columns[0] ?? []).map(({ start }) => start),
      range,
      step: feed.stepMs,
    },
    y: { scale: 'log', format: 'latency', from: 1000, least: 10_000 },
    series: ops.flatMap(({ op, colours }, at) =>
      ([0.5, 0.99] as const).map((q, line) => ({
        id: `${op} ${q}`,
        name: `${op} p${q * 100}`,
        colour: colours[line] ?? 1,
        values: (columns[at] ?? []).map(({ totals }) => (totals && quantile(totals, q)) ?? null),
        thin: (columns[at] ?? []).map(({ totals }) => totals !== undefined && !enoughFor(totals, q)),
      })),
    ),
    facts: ops.map(({ op }, at) => ({
      name: `${op} n`,
      format: 'count',
      values: (columns[at] ?? []).map(({ totals }) => totals?.n ?? null),
    })),
    marks: marks.filter(({ at }) => at >= range.from && at <= range.to),
  }
}

const impactsOf = ({ feed, parts, beginMs, endMs }: ImpactView): Impact[] =>
  ops.flatMap(({ op }, at) => impactOf(op, parts[at]?.columns ?? [], beginMs, endMs ?? feed.endMs))

/** The figures before and during a build, written in place. */
function ImpactTable({ view }: { view: ImpactView }) {
  const body = useWritten<HTMLTableSectionElement>(view.feed, ({ children }) => {
    for (const [at, impact] of impactsOf(view).entries()) {
      const row = children[at]
      writeClass(row, impact.thin ? 'mute' : '')
      const texts = [impact.name, figureWords(impact.before), figureWords(impact.during), changeWords(impact)]
      for (const [cell, text] of texts.entries()) writeText(row?.children[cell], text)
    }
  })
  return (
    <ScrollTable label={t('Latency before and during the build')}>
      <thead>
        <tr>
          <th scope="col">{t('latency')}</th>
          <th scope="col" className="right">
            {t('before')}
          </th>
          <th scope="col" className="right">
            {t('during')}
          </th>
          <th scope="col" className="right">
            {t('change')}
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        {ROWS.map((row) => (
          <tr key={row}>
            <td />
            <td className="right" />
            <td className="right" />
            <td className="right" />
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  )
}

const figureWords = (ns: number | undefined): string => (ns === undefined ? '–' : latency(ns))

function changeWords({ change: by, thin }: Impact): string {
  if (by === undefined) return t('no data before the build')
  return thin ? t('{by}, too few samples', { by: change(by) }) : change(by)
}
