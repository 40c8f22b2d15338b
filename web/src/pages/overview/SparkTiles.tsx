import { Tile } from '../../components/Tile'
import type { Alert } from '../../api/types'
import { latency, rate } from '../../format'
import type { Column } from '../../live/buffer'
import type { Feed } from '../../live/feed'
import { quantile, shareWithin } from '../../live/latency/quantile'
import { totalsOf } from '../../live/latency/summary'
import type { Totals } from '../../live/latency/totals'
import { useFeedValue, version } from '../../live/use-feed'
import { Sparkline } from './Sparkline'
import { targetTile } from './target-tile'

interface Props {
  live: Feed
  alerts: readonly Alert[] | undefined
}

const WINDOW_MS = 900_000
const NOW_COLUMNS = 4

/** The four numbers of the last minute, each with its last 15 minutes. */
export function SparkTiles({ live, alerts }: Props) {
  useFeedValue(live, version)
  const { buffer, endMs } = live
  const of = (op?: string, namespace?: string): Column[] =>
    buffer.columns(endMs - WINDOW_MS, endMs, { op, namespace, side: 'engine' })
  const all = of()
  const perSecond = (column: Column): number | undefined =>
    column.totals === undefined || column.durationMs === 0 ? undefined : column.totals.n / (column.durationMs / 1000)
  const p99 = (totals: Totals): number | undefined => quantile(totals, 0.99)
  const target = targetTile(alerts)
  const now = totalsOf(all.slice(-NOW_COLUMNS))
  return (
    <div className="grid-4">
      <Tile
        name="Operations"
        value={now.seconds > 0 ? rate(now.totals.n / now.seconds) : '–'}
        note="engine, last minute"
      >
        <Sparkline label="Operations per second, last 15 minutes" values={all.map(perSecond)} floor={0} />
      </Tile>
      <LatencyTile name="p99 read" columns={of('reads')} of={p99} />
      <LatencyTile name="p99 write" columns={of('writes')} of={p99} />
      <Tile name={target.name} value={target.value} tone={target.tone} note={target.note}>
        <Sparkline
          label={`Share ${target.name.toLowerCase()}, last 15 minutes`}
          values={of(target.op, target.namespace).map(({ totals }) => totals && shareWithin(totals, target.withinNs))}
          floor={0.9}
          ceiling={1}
          tone={target.tone ?? 'good'}
        />
      </Tile>
    </div>
  )
}

function LatencyTile({
  name,
  columns,
  of,
}: {
  name: string
  columns: Column[]
  of: (totals: Totals) => number | undefined
}) {
  const { totals } = totalsOf(columns.slice(-NOW_COLUMNS))
  const value = of(totals)
  const p50 = quantile(totals, 0.5)
  return (
    <Tile
      name={name}
      value={value === undefined ? '–' : latency(value)}
      note={p50 === undefined ? 'no operations in the last minute' : `p50 ${latency(p50)}, last minute`}
    >
      <Sparkline
        label={`${name}, last 15 minutes`}
        values={columns.map((column) => column.totals && of(column.totals))}
        floor={0}
      />
    </Tile>
  )
}
