import { stateWords } from '../../components/state-words'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, useMemo } from 'react'
import { endedJobsQuery, type ListFilter } from '../../api/queries'
import type { Job } from '../../api/types'
import { useMay } from '../../api/use-may'
import { kindLabel, stateTone } from '../../components/jobs/job-state'
import { tookSeconds } from '../../components/jobs/JobPanel'
import { NamespaceOf } from '../../components/namespaces/NamespaceOf'
import { MoreRows } from '../../components/jobs/MoreRows'
import { bytes, count, duration, rate } from '../../format'
import type { ColumnDef } from '../../table/column'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { t } from '../../language/text'
import { jobTitle } from '../../components/jobs/job-title'

interface Props {
  filter: ListFilter
  /** whether jobs at work are shown above */
  below: boolean
  onOpen: (id: string) => void
}

/** The jobs that ended, newest first. The newest page follows what happens; once older ones are there, it stays as it is. */
export const EndedJobs = memo(function EndedJobs({ filter, below, onOpen }: Props) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...endedJobsQuery(filter),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : 1000),
  })
  const jobs = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const shownColumns = useMemo(() => columns(onOpen), [onOpen])
  const may = useMay()
  const filtered = Object.values(filter).some((value) => value !== undefined)
  return (
    <Card title={below ? t('Ended') : undefined} flush={jobs.length > 0}>
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      {data === undefined && error === null && <Skeleton lines={5} height={22} />}
      {data !== undefined && jobs.length === 0 && filtered && (
        <Empty title={t('No such jobs')}>{t('No job that ended has this kind, namespace, state and time.')}</Empty>
      )}
      {data !== undefined && jobs.length === 0 && !filtered && !below && (
        <Empty
          title={t('No jobs yet')}
          action={
            may('importRecords') && (
              <Link to="/import" className="btn primary">
                {t('Load data')}
              </Link>
            )
          }
        >
          {t(
            'Imports, scans, counts, queries, index builds, truncations and scrubs run as jobs. Each job shows its progress, rate and time left.',
          )}{' '}
          {may('abortJob') && t('You can abort it.')}
        </Empty>
      )}
      {jobs.length > 0 && (
        <DataTable
          label={t('Ended jobs')}
          list="jobs"
          noun={(n) => t('{n, plural, one {# job} other {# jobs}}', { n })}
          columns={shownColumns}
          rows={jobs}
          keyOf={(job) => job.id}
          long={jobs.length > LONG}
        />
      )}
      <MoreRows
        shown={jobs.length}
        what={t('jobs')}
        more={hasNextPage}
        busy={isFetchingNextPage}
        onMore={() => void fetchNextPage()}
      />
    </Card>
  )
})

/** Rows from which on only those in view are drawn. */
const LONG = 200

const columns = (open: (id: string) => void): ColumnDef<Job>[] => [
  {
    name: 'job',
    label: t('job'),
    sort: (job) => jobTitle(job.title),
    cell: (job) => (
      <button type="button" className="link" onClick={() => open(job.id)}>
        {jobTitle(job.title)}
      </button>
    ),
  },
  { name: 'kind', label: t('kind'), low: 2, sort: (job) => job.kind, cell: (job) => kindLabel[job.kind] },
  {
    name: 'namespace',
    label: t('namespace'),
    sort: (job) => job.namespace,
    cell: (job) => <NamespaceOf namespace={job.namespace} former={job.former} />,
  },
  {
    name: 'state',
    label: t('state'),
    sort: (job) => job.state,
    cell: (job) => <span className={`badge ${stateTone[job.state]}`}>{stateWords(job.state)}</span>,
  },
  {
    name: 'done',
    label: t('done'),
    right: true,
    sort: (job) => job.done,
    cell: (job) => (job.unit === 'bytes' ? bytes(job.done) : count(job.done)),
  },
  {
    name: 'took',
    label: t('took'),
    low: 3,
    right: true,
    sort: (job) => tookSeconds(job) ?? 0,
    cell: (job) => {
      const took = tookSeconds(job)
      return took === undefined ? '–' : took === 0 ? '< 1 ms' : duration(took)
    },
  },
  {
    name: 'rate',
    label: t('rate'),
    low: 4,
    right: true,
    sort: (job) => job.ratePerSecond,
    cell: (job) => (job.unit === 'bytes' ? `${bytes(job.ratePerSecond)}/s` : rate(job.ratePerSecond)),
  },
  { name: 'threads', label: t('threads'), low: 5, right: true, sort: (job) => job.threads, cell: (job) => job.threads },
  { name: 'ended', label: t('ended'), sort: (job) => job.endedAt ?? '', cell: (job) => <Ago time={job.endedAt} /> },
  {
    name: 'actions',
    label: t('actions'),
    actions: true,
    cell: (job) => (
      <Button small onClick={() => open(job.id)}>
        {t('Details')}
      </Button>
    ),
  },
]
