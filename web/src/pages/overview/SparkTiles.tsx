import { Tile } from '../../components/Tile'
import type { Alert } from '../../api/types'
import { latency, rate } from '../../format'
import type { Column } from '../../live/buffer'
import type { Feed } from '../../live/feed'
import { quantile, shareWithin } from '../../live/latency/quantile'
import { totalsOf } from '../../live/latency/summary'
import { useFeedValue, version } from '../../live/use-feed'
import { Sparkline } from './Sparkline'
import { targetTile } from './target-tile'
import { t } from '../../language/text'

interface Props {
  /** the last minute */
  now: Feed
  /** the chosen range, and its words */
  shown: Feed
  words: string
  alerts: readonly Alert[] | undefined
}

function columnsOf({ buffer, endMs, windowMs }: Feed, op?: string, namespace?: string): Column[] {
  return buffer.columns(endMs - windowMs, endMs, { op, namespace, side: 'engine' })
}

/** The four numbers of the last minute, each with a line over the chosen range. */
export function SparkTiles({ now, shown, words, alerts }: Props) {
  useFeedValue(now, version)
  useFeedValue(shown, version)
  const perSecond = (column: Column): number | undefined =>
    column.totals === undefined || column.durationMs === 0 ? undefined : column.totals.n / (column.durationMs / 1000)
  const target = targetTile(alerts)
  const { totals, seconds } = totalsOf(columnsOf(now))
  return (
    <div className="grid-4">
      <Tile name={t('Operations')} value={seconds > 0 ? rate(totals.n / seconds) : '–'} note={t('engine, last minute')}>
        <Sparkline
          label={t('Operations per second, last {words}', { words })}
          values={columnsOf(shown).map(perSecond)}
          floor={0}
        />
      </Tile>
      <LatencyTile name={t('p99 read')} op="reads" {...{ now, shown, words }} />
      <LatencyTile name={t('p99 write')} op="writes" {...{ now, shown, words }} />
      <Tile name={target.name} value={target.value} tone={target.tone} note={target.note}>
        <Sparkline
          label={t('Share {toLowerCase}, last {words}', { toLowerCase: target.name.toLowerCase(), words })}
          values={columnsOf(shown, target.op, target.namespace).map(
            ({ totals: one }) => one && shareWithin(one, target.withinNs),
          )}
          floor={0.9}
          ceiling={1}
          tone={target.tone ?? 'good'}
        />
      </Tile>
    </div>
  )
}

function LatencyTile({ name, op, now, shown, words }: Omit<Props, 'alerts'> & { name: string; op: string }) {
  const { totals } = totalsOf(columnsOf(now, op))
  const [p50, p99] = [quantile(totals, 0.5), quantile(totals, 0.99)]
  return (
    <Tile
      name={name}
      value={p99 === undefined ? '–' : latency(p99)}
      note={
        p50 === undefined ? t('no operations in the last minute') : t('p50 {p50}, last minute', { p50: latency(p50) })
      }
    >
      <Sparkline
        label={t('{name}, last {words}', { name, words })}
        values={columnsOf(shown, op).map((column) => column.totals && quantile(column.totals, 0.99))}
        floor={0}
      />
    </Tile>
  )
}
