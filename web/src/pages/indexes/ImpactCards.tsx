import { useMemo } from 'react'
import { timeTicks } from '../../charts/axes'
import { type Line, LineChart } from '../../charts/LineChart'
import { change, clock, latency } from '../../format'
import { quantile } from '../../live/latency/quantile'
import { useFeed, useFeedValue, version } from '../../live/use-feed'
import { windows } from '../../live/window'
import { ScrollTable } from '../../table/ScrollTable'
import { Card } from '../../ui/Card'
import { impactOf } from './impact'

const WINDOW = windows['5m']
const ops = [
  { op: 'get', side: 'engine', colours: ['accent', 'warn'] },
  { op: 'put', side: 'engine', colours: ['good', 'bad'] },
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
  const feed = useFeed(WINDOW.ms, WINDOW.stepMs)
  const made = useFeedValue(feed, version)
  const { columns, range } = useMemo(() => {
    const shown = { from: feed.endMs - WINDOW.ms, to: feed.endMs }
    const of = ops.map(({ op, side }) => feed.buffer.columns(shown.from, shown.to, { namespace: ns, op, side }))
    return { columns: of, range: shown, made }
  }, [feed, ns, made])
  const x = useMemo(() => (columns[0] ?? []).map(({ start }) => start), [columns])
  const ticks = useMemo(() => timeTicks(range), [range])
  const lines = useMemo(
    () =>
      ops.flatMap(({ op, colours }, at): Line[] =>
        ([0.5, 0.99] as const).map((q, line) => ({
          name: `${op} p${q * 100}`,
          colour: colours[line] ?? 'accent',
          values: (columns[at] ?? []).map(({ totals }) => (totals && quantile(totals, q)) ?? Number.NaN),
        })),
      ),
    [columns],
  )
  const marks = useMemo(
    () =>
      [beginMs, endMs]
        .filter((time) => time !== undefined)
        .map((time) => (time - range.from) / (range.to - range.from))
        .filter((at) => at >= 0 && at <= 1),
    [beginMs, endMs, range],
  )
  const impacts = ops.flatMap(({ op }, at) => impactOf(op, columns[at] ?? [], beginMs, endMs ?? range.to))
  return (
    <>
      <LineChart
        title="Latency during the build"
        aside={`reads and writes of single records in ${ns}, in the engine; the line marks the start of the build${endMs === undefined ? '' : ', and its end'}`}
        x={x}
        xText={clock}
        ticks={ticks}
        lines={lines}
        marks={marks}
        valueText={latency}
        logFrom={1000}
        least={10_000}
      />
      <Card title="Before and during" aside="last five minutes, from summed counts" flush>
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
