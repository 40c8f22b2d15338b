import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { jobsQuery } from '../../api/queries'
import type { Job } from '../../api/types'
import { isActive, kindLabel, stateTone } from '../../components/jobs/job-state'
import { JobPanel, tookSeconds } from '../../components/jobs/JobPanel'
import { bytes, count, duration, rate } from '../../format'
import { inPlace } from '../../search'
import { Page } from '../../shell/Page'
import type { ColumnDef } from '../../table/column'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { SmallSelect } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { CountRecords } from './CountRecords'
import { JobDialog } from './JobDialog'
import { ScrubNamespace } from './ScrubNamespace'

/** All jobs: running ones with their controls, ended ones with their result. */
export function JobsPage() {
  const { id, kind } = useSearch({ from: '/jobs' })
  const navigate = useNavigate({ from: '/jobs' })
  const [asking, setAsking] = useState<'count' | 'scrub'>()
  const { data, error, refetch } = useQuery({ ...jobsQuery(), refetchInterval: 1000 })
  const jobs = (data?.items ?? []).filter((job) => kind === undefined || job.kind === kind)
  const active = jobs.filter(isActive)
  const ended = jobs.filter((job) => !isActive(job))
  const open = (next: string | undefined): void => void navigate({ search: { id: next, kind }, ...inPlace })
  const close = (): void => setAsking(undefined)
  const started = (job: string): void => {
    close()
    open(job)
  }
  return (
    <Page
      title="Jobs"
      controls={
        <>
          <SmallSelect
            label="Kind"
            value={kind ?? ''}
            choices={[
              { value: '', label: 'all kinds' },
              ...Object.entries(kindLabel).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(next) => void navigate({ search: { kind: next === '' ? undefined : next } })}
          />
          <Button onClick={() => setAsking('count')}>Count records</Button>
          <Button onClick={() => setAsking('scrub')}>Scrub a device</Button>
        </>
      }
    >
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      {active.map((job) => (
        <Card key={job.id}>
          <JobPanel job={job} />
          <div className="row end">
            <Button small onClick={() => open(job.id)}>
              Workers and details
            </Button>
          </div>
        </Card>
      ))}
      <Card title={active.length > 0 ? 'Ended' : undefined} flush={ended.length > 0}>
        {data === undefined && error === null && <Skeleton lines={5} height={22} />}
        {data !== undefined && jobs.length === 0 && (
          <Empty
            title="No jobs yet"
            action={
              <Link to="/import" className="btn primary">
                Load data
              </Link>
            }
          >
            Imports, scans, counts, queries, index builds, truncations and scrubs run as jobs. Each job shows its
            progress, rate and time left, and you can abort it.
          </Empty>
        )}
        {ended.length > 0 && (
          <DataTable label="Ended jobs" columns={columns(open)} rows={ended} keyOf={(job) => job.id} />
        )}
      </Card>
      <CountRecords open={asking === 'count'} onClose={close} onStarted={started} />
      <ScrubNamespace open={asking === 'scrub'} onClose={close} onStarted={started} />
      <JobDialog id={id} onClose={() => open(undefined)} />
    </Page>
  )
}

const columns = (open: (id: string) => void): ColumnDef<Job>[] => [
  {
    name: 'job',
    sort: (job) => job.title,
    cell: (job) => (
      <button type="button" className="link" onClick={() => open(job.id)}>
        {job.title}
      </button>
    ),
  },
  { name: 'kind', sort: (job) => job.kind, cell: (job) => kindLabel[job.kind] },
  { name: 'namespace', sort: (job) => job.namespace, cell: (job) => job.namespace },
  {
    name: 'state',
    sort: (job) => job.state,
    cell: (job) => <span className={`badge ${stateTone[job.state]}`}>{job.state}</span>,
  },
  {
    name: 'done',
    right: true,
    sort: (job) => job.done,
    cell: (job) => (job.unit === 'bytes' ? bytes(job.done) : count(job.done)),
  },
  {
    name: 'took',
    right: true,
    sort: (job) => tookSeconds(job) ?? 0,
    cell: (job) => {
      const took = tookSeconds(job)
      return took === undefined ? '–' : took === 0 ? '< 1 ms' : duration(took)
    },
  },
  {
    name: 'rate',
    right: true,
    sort: (job) => job.ratePerSecond,
    cell: (job) => (job.unit === 'bytes' ? `${bytes(job.ratePerSecond)}/s` : rate(job.ratePerSecond)),
  },
  { name: 'threads', right: true, sort: (job) => job.threads, cell: (job) => job.threads },
  { name: 'ended', sort: (job) => job.endedAt ?? '', cell: (job) => <Ago time={job.endedAt} /> },
  {
    name: 'actions',
    actions: true,
    cell: (job) => (
      <Button small onClick={() => open(job.id)}>
        Details
      </Button>
    ),
  },
]
