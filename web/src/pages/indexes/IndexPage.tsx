import { stateWords } from '../../components/state-words'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { memo, useCallback, useState } from 'react'
import { indexesQuery } from '../../api/indexes'
import { runningJobsQuery } from '../../api/queries'
import type { Index, Job, JobPage } from '../../api/types'
import { useMay } from '../../api/use-may'
import { JobPanel } from '../../components/jobs/JobPanel'
import { isActive } from '../../components/jobs/job-state'
import { JobRateCard } from '../../components/jobs/JobRateCard'
import { RangeControl } from '../../components/RangeControl'
import { useJob, useJobPart, useRefreshNamespaces } from '../../components/jobs/use-job'
import { bytes, count, fixed } from '../../format'
import { Page } from '../../shell/Page'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { DropIndex } from './DropIndex'
import { ImpactCards } from './ImpactCards'
import { indexState } from './index-state'
import { covered, mergeWords, originWords, usesWords } from './index-words'
import { LastUse } from './LastUse'
import { t } from '../../language/text'

/** One index: its contents and, during its build, the workers and the impact of the build. */
export function IndexPage() {
  const { ns, name } = useParams({ from: '/indexes/$ns/$name' })
  const { data, error } = useQuery({ ...indexesQuery(ns), refetchInterval: 2000 })
  const index = data?.items.find((one) => one.name === name)
  /** namespace and name */
  const [known, setKnown] = useState('')
  const place = `${ns}/${name}`
  if (index !== undefined && known !== place) setKnown(place)
  const seen = known === place
  return (
    <Page title={name} controls={<RangeControl />}>
      <Problem error={error} />
      {data === undefined && error === null && (
        <Card>
          <Skeleton lines={6} />
        </Card>
      )}
      {data !== undefined && index === undefined && (
        <Card>
          <Empty title={seen ? t('This index no longer exists') : t('No such index')}>
            {seen && <p>{t('It was dropped, or its build was aborted. Its memory is free again. Records stay.')}</p>}
            <Link to="/indexes" search={{ ns }}>
              {t('The indexes of {ns}', { ns })}
            </Link>
          </Empty>
        </Card>
      )}
      {index !== undefined && <IndexCards index={index} />}
    </Page>
  )
}

function IndexCards({ index }: { index: Index }) {
  const [dropping, setDropping] = useState<Index>()
  const navigate = useNavigate()
  const { namespace, jobId } = index
  const drops = useMay()('dropIndex', { namespace })
  const job = useJobPart(jobId, timesOf)
  const building = index.state === 'building'
  const build = jobId !== undefined && <Build jobId={jobId} />
  return (
    <>
      {building && build}
      <Card
        title={index.kind === 'document' ? t('Document index') : t('Range index')}
        aside={<span className={`badge ${indexState[index.state]}`}>{stateWords(index.state)}</span>}
        end={
          // Aborting the job drops the unfinished index.
          drops &&
          !(building && job?.active === true) && (
            <Button small look="danger" onClick={() => setDropping(index)}>
              {building ? t('Abort and drop…') : t('Drop…')}
            </Button>
          )
        }
      >
        <Facts index={index} />
      </Card>
      {!building && build}
      {job?.startedAt !== undefined && (
        <ImpactCards
          ns={namespace}
          beginMs={Date.parse(job.startedAt)}
          endMs={job.endedAt === undefined ? undefined : Date.parse(job.endedAt)}
        />
      )}
      <OtherBuilds jobId={jobId} />
      <DropIndex
        index={dropping}
        onClose={() => setDropping(undefined)}
        onDropped={() => void navigate({ to: '/indexes', search: { ns: namespace } })}
      />
    </>
  )
}

/** What the page needs of the job beside its progress, which changes with each read. */
const timesOf = (job: Job) => ({ active: isActive(job), startedAt: job.startedAt, endedAt: job.endedAt })

/** The job of the build, as it goes on. */
const Build = memo(function Build({ jobId }: { jobId: string }) {
  const job = useJob(jobId, useRefreshNamespaces())
  if (job === undefined) return null
  return (
    <>
      <Card title={t('Build')}>
        <JobPanel job={job} />
      </Card>
      <JobRateCard job={job} />
    </>
  )
})

function Facts({ index }: { index: Index }) {
  const { namespace, set, entries, recentEntries, merges, terms, bytes: size, createdAt } = index
  const facts = [
    [
      t('namespace'),
      <Link key="ns" to="/namespaces/$ns" params={{ ns: namespace }}>
        {namespace}
      </Link>,
    ],
    [t('set'), set ?? t('all sets')],
    [t('covers'), covered(index)],
    [t('origin'), originWords(index)],
    [terms === undefined ? t('entries when built') : t('entries'), count(entries)],
    // A cluster merges by itself, and counts neither terms nor bytes.
    ...(terms === undefined
      ? []
      : ([
          [t('recent entries'), t('{recentEntries} not merged yet', { recentEntries: count(recentEntries) })],
          [t('merges'), mergeWords(merges)],
          [t('terms'), count(terms)],
          [t('memory'), bytes(size)],
          [t('per entry'), entries === 0 ? '–' : t('{n} bytes', { n: fixed(size / entries, 2) })],
        ] as const)),
    [t('last used'), <LastUse key="use" index={index} />],
    [t('uses'), usesWords(index)],
    [t('created'), <Ago key="at" time={createdAt} />],
  ] as const
  return (
    <dl className="facts wide">
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Other running builds. */
const OtherBuilds = memo(function OtherBuilds({ jobId }: { jobId: string | undefined }) {
  const select = useCallback(
    ({ items }: JobPage) => items.filter((job) => job.kind === 'index-build' && job.id !== jobId),
    [jobId],
  )
  const { data: others = [] } = useQuery({ ...runningJobsQuery(), refetchInterval: 1000, select })
  if (others.length === 0) return null
  return (
    <Card title={t('Other running builds')}>
      <div className="stack">
        {others.map((job) => (
          <JobPanel key={job.id} job={job} />
        ))}
      </div>
    </Card>
  )
})
