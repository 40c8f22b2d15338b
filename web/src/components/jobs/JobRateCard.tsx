import { memo, useEffect, useMemo, useSyncExternalStore } from 'react'
import type { Job } from '../../api/types'
import { ChartCard } from '../../charts/card/ChartCard'
import type { ChartSource } from '../../charts/card/source'
import { EventScope } from '../../charts/events/scope'
import type { ChartSpec } from '../../charts/spec/spec'
import { connection } from '../../live/connection'
import { noteProgress, onProgress, ratesOf, ratesSpec } from './job-rates'
import { t } from '../../language/text'
import { unitWords } from '../api-words'
import { useEventHistory } from '../use-event-history'

/** The rate of a job since it began. Nothing before two rates are known. */
export function JobRateCard({ job }: { job: Job }) {
  // The engine's clock, because the start of the job is its time.
  useEffect(() => noteProgress(job, engineNow()), [job])
  useEventHistory(job.startedAt, job.endedAt, job.namespace)
  return (
    <EventScope value={job.namespace}>
      <RateChart id={job.id} unit={job.unit} />
    </EventScope>
  )
}

/** New progress draws the chart, and does not render it. */
const RateChart = memo(function RateChart({ id, unit }: Pick<Job, 'id' | 'unit'>) {
  const source = useMemo(() => new RateSource(id), [id])
  const lines = useSyncExternalStore(source.subscribe, () => source.spec?.series.length ?? 0)
  if (lines === 0) return null
  return (
    <ChartCard
      title={t('Rate')}
      aside={
        lines > 1
          ? t('{unit} per second, by worker; the first value is the average before', { unit: unitWords(unit) })
          : t('{unit} per second; the first value is the average before', { unit: unitWords(unit) })
      }
      spec={source}
    />
  )
})

const NOTHING: ChartSpec = {
  x: { name: 'time', scale: 'time', format: 'clock', values: [] },
  y: { scale: 'linear', format: 'rate' },
  series: [],
}

/** The rates of a job as a chart, made anew when more was seen of it. */
class RateSource implements ChartSource {
  readonly subscribe = onProgress
  #seen: unknown
  #spec: ChartSpec | undefined

  constructor(private readonly id: string) {}

  /** undefined before two rates are known */
  get spec(): ChartSpec | undefined {
    const rates = ratesOf(this.id)
    if (rates?.seen !== this.#seen) {
      this.#seen = rates?.seen
      this.#spec = rates && ratesSpec(rates)
    }
    return this.#spec
  }

  readonly read = (): ChartSpec => this.spec ?? NOTHING
}

/** The time of the engine's clock: that of its newest frame, and what has passed since then. */
function engineNow(): number {
  const { latest, lastFrameAt } = connection
  const now = Date.now()
  return latest === undefined || lastFrameAt === undefined ? now : latest.timeMs + (now - lastFrameAt)
}
