import type { About } from '../../api/types'
import { Tile } from '../../components/Tile'
import { count, duration, latency, share } from '../../format'
import { t } from '../../language/text'
import { Card } from '../../ui/Card'

const NANOS_PER_MS = 1e6
/** The gateway is made to add no more than this at p99. */
const TARGET_MS = 0.3
/** The place of 250 µs among the exact counts. */
const EDGE = 2
/** Fewer requests do not tell p99. */
const ENOUGH = 1000

/** What the gateway adds to requests for records. */
export function AddedCard({ added }: { added: About['added'] }) {
  const { p50Ms, p99Ms, slo, seconds } = added
  const sure = added.count >= ENOUGH
  const shown = (ms: number | undefined): string => (ms === undefined ? '–' : latency(ms * NANOS_PER_MS))
  return (
    <Card
      title={t('Added by the gateway')}
      aside={t('from the head of a request to the last byte of its answer, less the time in the engine')}
    >
      <div className="stack">
        <div className="grid-4">
          <Tile name={t('p50')} value={shown(p50Ms)} note={t('half of the requests, at most')} />
          <Tile
            name={t('p99')}
            value={shown(p99Ms)}
            note={sure ? t('99% of the requests; target 300 µs') : t('too few requests to be sure')}
            tone={p99Ms === undefined || !sure ? undefined : p99Ms <= TARGET_MS ? 'good' : 'bad'}
          />
          <Tile
            name={t('within 250 µs')}
            value={added.count === 0 ? '–' : share((slo[EDGE] ?? 0) / added.count)}
            note={t('counted exactly')}
          />
          <Tile
            name={t('requests')}
            value={count(added.count)}
            note={t('in the last {time}', { time: duration(seconds, { whole: true }) })}
          />
        </div>
        <p className="mute small">
          {t(
            'Reads and writes of records by key, one or in batches. Time that a client takes to send its body or to read its answer is in it.',
          )}
        </p>
      </div>
    </Card>
  )
}
