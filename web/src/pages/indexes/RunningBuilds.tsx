import { useState } from 'react'
import { JobPanel } from '../../components/jobs/JobPanel'
import { useJob, useRefreshNamespaces } from '../../components/jobs/use-job'
import { Card } from '../../ui/Card'

/**
 * Running builds with progress, rate, time left, threads and abort. A finished build stays listed
 * until the page is left.
 */
export function RunningBuilds({ jobIds }: { jobIds: string[] }) {
  const [seen, setSeen] = useState<string[]>([])
  const fresh = jobIds.filter((id) => !seen.includes(id))
  if (fresh.length > 0) setSeen([...seen, ...fresh])
  return seen.map((id) => <Build key={id} id={id} />)
}

function Build({ id }: { id: string }) {
  const refresh = useRefreshNamespaces()
  const job = useJob(id, refresh)
  return job === undefined ? null : (
    <Card>
      <JobPanel job={job} />
    </Card>
  )
}
