import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { Job } from '../../api/types'
import { ChartCard } from '../../charts/card/ChartCard'
import { connection } from '../../live/connection'
import { noteProgress, onProgress, ratesOf, ratesSpec } from './job-rates'

/** The rate of a job since it began. Nothing before two rates are known. */
export function JobRateCard({ job }: { job: Job }) {
  // The engine's clock, because the start of the job is its time.
  useEffect(() => noteProgress(job, engineNow()), [job])
  const seen = useSyncExternalStore(onProgress, () => ratesOf(job.id)?.seen)
  const spec = useMemo(() => {
    const rates = seen && ratesOf(job.id)
    return rates && ratesSpec(rates)
  }, [job.id, seen])
  if (spec === undefined) return null
  const inBytes = job.unit === 'bytes'
  return (
    <ChartCard
      title="Rate"
      aside={`${inBytes ? 'bytes' : job.unit} per second${spec.series.length > 1 ? ', by worker' : ''}; the first value is the average before`}
      spec={spec}
    />
  )
}

/** The time of the engine's clock: that of its newest frame, and what has passed since then. */
function engineNow(): number {
  const { latest, lastFrameAt } = connection
  const now = Date.now()
  return latest === undefined || lastFrameAt === undefined ? now : latest.timeMs + (now - lastFrameAt)
}
