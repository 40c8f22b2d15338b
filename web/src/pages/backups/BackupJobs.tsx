import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRefreshBackups } from '../../api/backups'
import { runningJobsQuery } from '../../api/queries'
import type { Job } from '../../api/types'
import { JobPanel } from '../../components/jobs/JobPanel'
import { useJob } from '../../components/jobs/use-job'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { t } from '../../language/text'

const KINDS: ReadonlySet<Job['kind']> = new Set(['backup', 'restore', 'verify'])

/**
 * Backups, restores and verifications at work, whoever began them, and those that this page began. One that ended stays
 * until the page is left, because it says what came of it.
 */
export function BackupJobs({ ns, started }: { ns: string | undefined; started: readonly string[] }) {
  const { data, error } = useQuery({ ...runningJobsQuery(), refetchInterval: 1000 })
  const running = (data?.items ?? []).filter(
    ({ kind, namespace }) => KINDS.has(kind) && (ns === undefined || namespace === ns),
  )
  const [seen, setSeen] = useState<readonly string[]>([])
  const known = [...started, ...running.map(({ id }) => id)]
  const fresh = known.filter((id) => !seen.includes(id))
  if (fresh.length > 0) setSeen([...seen, ...new Set(fresh)])
  return (
    <>
      <Problem error={error} />
      {seen.toReversed().map((id) => (
        <Work key={id} id={id} />
      ))}
    </>
  )
}

function Work({ id }: { id: string }) {
  const job = useJob(id, useRefreshBackups())
  return job === undefined ? null : (
    <Card>
      <JobPanel job={job} />
      <div className="row end">
        <Link to="/jobs" search={{ id }} className="btn small">
          {t('Workers and details')}
        </Link>
      </div>
    </Card>
  )
}
