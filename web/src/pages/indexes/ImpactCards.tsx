import { useMemo } from 'react'
import { ChartCard } from '../../charts/card/ChartCard'
import type { ChartSpec } from '../../charts/spec/spec'
import { change, latency } from '../../format'
import { enoughFor, quantile } from '../../live/latency/quantile'
import { isLong } from '../../live/window'
import { useRange } from '../../live/range'
import { useFeed, useFeedValue, version } from '../../live/use-feed'
import { ScrollTable } from '../../table/ScrollTable'
import { Card } from '../../ui/Card'
import { impactOf } from './impact'

const ops = [
  { op: 'get', side: 'engine', colours: [1, 3] },
  { op: 'put', side: 'engine', colours: [2, 4] },
] as const

interface Props {
  ns: string
  beginMs: number
  /** undefined while the build runs */
  endMs: number | undefined
}

/**
 * The impact of a build on reads and writes of single records in its namespace: per second, and
 * before against during.
 */
export function ImpactCards({ ns, beginMs, endMs }: Props) {
  const { ms: windowMs, stepMs, words } = useRange()
  const feed = useFeed(windowMs, stepMs)
  const made = useFeedValue(feed, version)
  const { columns, range } = useMemo(() => {
    const shown = { from: feed.endMs - windowMs, to: feed.endMs }
    const of = ops.map(({ op, side }) => feed.buffer.columns(shown.from, shown.to, { namespace: ns, op, side }))
    return { columns: of, range: shown, made }
  }, [feed, windowMs, ns, made])
  const spec = useMemo((): ChartSpec => {
    const marks = [
      { at: beginMs, name: 'build started' },
      ...(endMs === undefined ? [] : [{ at: endMs, name: 'build ended' }]),
    ]
    return {
      x: {
        name: 'time',
        scale: 'time',
        format: isLong(stepMs) ? 'moment' : 'clock',
        values: (columns[0] ?? []).map(({ start }) => start),
        range,
        step: stepMs,
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
  }, [columns, range, stepMs, beginMs, endMs])
  const impacts = ops.flatMap(({ op }, at) => impactOf(op, columns[at] ?? [], beginMs, endMs ?? range.to))
  return (
    <>
      <ChartCard
        title="Latency during the build"
        aside={`reads and writes of single records in ${ns}, in the engine; the line marks the start of the build${endMs === undefined ? '' : ', and its end'}`}
        spec={spec}
      />
      <Card title="Before and during" aside={`last ${words}, from summed counts`} flush>
        <ScrollTable label="Latency before and during the build">
          <thead>
            <tr>
              <th scope="col">latency</th>
              <th scope="col" className="right">
                before
              </th>
              <th scope="col" className="right">
                during
              </th>
              <th scope="col" className="right">
                change
              </th>
            </tr>
          </thead>
          <tbody>
            {impacts.map((impact) => (
              <tr key={impact.name} className={impact.thin ? 'mute' : undefined}>
                <td>{impact.name}</td>
                <td className="right">{impact.before === undefined ? '–' : latency(impact.before)}</td>
                <td className="right">{impact.during === undefined ? '–' : latency(impact.during)}</td>
                <td className="right">{verdict(impact)}</td>
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      </Card>
    </>
  )
}

function verdict({ change: by, thin }: { change: number | undefined; thin: boolean }): string {
  if (by === undefined) return 'no data before the build'
  return thin ? `${change(by)}, too few samples` : change(by)
}
