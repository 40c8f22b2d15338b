import { WrittenTile, writeTile, type TileFigures } from '../../components/Tile'
import { latency, rate, share } from '../../format'
import type { Feed } from '../../live/feed'
import { quantile, shareWithin } from '../../live/latency/quantile'
import { useFeed } from '../../live/use-feed'
import { useWritten } from '../../live/use-written'
import { isLong, windows } from '../../live/window'
import { t } from '../../language/text'

/** Least seconds that "now" covers, because one second of a quiet server says little. */
const NOW_MS = 10_000

interface Props {
  feed: Feed
  namespace: string | undefined
  side: 'engine' | 'gateway'
}

/** The four numbers of this moment. A long window does not have them. */
export function NowTiles(props: Props) {
  return isLong(props.feed.stepMs) ? <OwnTiles {...props} /> : <Tiles {...props} />
}

function OwnTiles(props: Props) {
  return <Tiles {...props} feed={useFeed(windows['1m'].ms, windows['1m'].stepMs)} />
}

const NAMES = [t('Operations'), t('p99 read'), t('p99 write'), t('Within 1 ms')]

function Tiles(props: Props) {
  const grid = useWritten<HTMLDivElement>(props.feed, ({ children }) =>
    figuresOf(props).forEach((figures, index) => writeTile(children[index], figures)),
  )
  return (
    <div ref={grid} className="grid-4">
      {NAMES.map((name) => (
        <WrittenTile key={name} name={name} />
      ))}
    </div>
  )
}

/** What the tiles show, in the order of their names. */
function figuresOf({ feed: { buffer, endMs }, namespace, side }: Props): TileFigures[] {
  const span = Math.max(NOW_MS, buffer.stepMs * 2)
  const of = (op?: string) => buffer.sum(endMs - span, endMs, { namespace, op, side })
  const reads = of('reads')
  const writes = of('writes')
  const all = of()
  const perSecond = (part: typeof all): string => (part.seconds > 0 ? rate(part.totals.n / part.seconds) : '–')
  const at = (part: typeof all, q: number): string => {
    const value = quantile(part.totals, q)
    return value === undefined ? '–' : latency(value)
  }
  const quantiles = (part: typeof all): TileFigures => ({
    value: at(part, 0.99),
    note: `p50 ${at(part, 0.5)} · p99.9 ${at(part, 0.999)}`,
  })
  const within = shareWithin(all.totals, 1e6)
  const missing = all.totals.n === 0 ? t('no operations in the last seconds') : undefined
  return [
    {
      value: perSecond(all),
      note: missing ?? t('reads {reads} · writes {writes}', { reads: perSecond(reads), writes: perSecond(writes) }),
    },
    quantiles(reads),
    quantiles(writes),
    {
      value: within === undefined ? '–' : share(within),
      tone: within === undefined ? undefined : within >= 0.99 ? 'good' : 'bad',
      note: t('target 99% · errors {errors}', { errors: all.totals.errors }),
    },
  ]
}
