import type { Job, ScanPlan } from '../../api/types'
import { isActive } from '../../components/jobs/job-state'
import { useJobPart } from '../../components/jobs/use-job'
import { type RecordStream, type StreamState, useStreamPart } from '../../records/use-record-stream'
import { ScanCostCard } from './ScanCostCard'

/** The cost of a scan, once it has ended. */
export function ScanCost({ plan, stream }: { plan: ScanPlan; stream: RecordStream }) {
  const job = useJobPart(useStreamPart(stream, jobIdOf), ended)
  return job === undefined ? null : <ScanCostCard plan={plan} job={job} />
}

const jobIdOf = ({ jobId }: StreamState): string | undefined => jobId
const ended = (job: Job): Job | undefined => (isActive(job) ? undefined : job)
