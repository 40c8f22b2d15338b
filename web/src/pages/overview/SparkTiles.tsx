import { Tile } from '../../components/Tile'
import { latency, rate, share } from '../../format'
import type { Column, FrameBuffer } from '../../live/buffer'
import { quantile, shareWithin } from '../../live/latency/quantile'
import { totalsOf } from '../../live/latency/summary'
import type { Totals } from '../../live/latency/totals'
import { Sparkline } from './Sparkline'

interface Props {
  live: { buffer: FrameBuffer; endMs: number }
}

const WINDOW_MS = 900_000
const NOW_COLUMNS = 4

/** The four numbers of the last minute, each with its last 15 minutes. */
export function SparkTiles({ live: { buffer, endMs } }: Props) {
  const of = (op?: string): Column[] => buffer.columns(endMs - WINDOW_MS, endMs, { op, side: 'engine' })
  const all = of()
  const perSecond = (column: Column): number | undefined =>
    column.totals === undefined || column.durationMs === 0 ? undefined : column.totals.n / (column.durationMs / 1000)
  const p99 = (totals: Totals): number | undefined => quantile(totals, 0.99)
  const within = (totals: Totals): number | undefined => shareWithin(totals, 1e6)
  const now = totalsOf(all.slice(-NOW_COLUMNS))
  const share1ms = within(now.totals)
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
      <Tile
        name="Within 1 ms"
        value={share1ms === undefined ? '–' : share(share1ms)}
        tone={share1ms === undefined ? undefined : share1ms >= 0.99 ? 'good' : 'bad'}
        note="target 99%"
      >
        <Sparkline
          label="Share within 1 ms, last 15 minutes"
          values={all.map(({ totals }) => totals && within(totals))}
          floor={0.9}
          ceiling={1}
          tone={share1ms === undefined || share1ms >= 0.99 ? 'good' : 'bad'}
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
      note={p50 === undefined ? 'no operations in the last minute' : `p50 ${latency(p50)} · target 1 ms`}
    >
      <Sparkline
        label={`${name}, last 15 minutes`}
        values={columns.map((column) => column.totals && of(column.totals))}
        floor={0}
      />
    </Tile>
  )
}
