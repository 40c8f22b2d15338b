import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { namespacesQuery, runningJobsQuery } from '../../api/queries'
import { useMay } from '../../api/use-may'
import { kindLabel } from '../../components/jobs/job-state'
import { JobPanel } from '../../components/jobs/JobPanel'
import { filterOf } from '../../components/jobs/list-filter'
import { ListFilters } from '../../components/jobs/ListFilters'
import { inPlace } from '../../search'
import { Page } from '../../shell/Page'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { plainChoices, SmallSelect } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { CountRecords } from './CountRecords'
import { EndedJobs } from './EndedJobs'
import { JobDialog } from './JobDialog'
import { ScrubNamespace } from './ScrubNamespace'
import type { JobsSearch } from './search'
import { t } from '../../language/text'

/** All jobs: running ones with their controls, ended ones with their result. */
export function JobsPage() {
  const search = useSearch({ from: '/jobs' })
  const { id, kind, state, since, ns, from, to } = search
  const navigate = useNavigate({ from: '/jobs' })
  const starts = useMay()('startJob')
  const [asking, setAsking] = useState<'count' | 'scrub'>()
  const { data, error, refetch } = useQuery({ ...runningJobsQuery(), refetchInterval: 1000 })
  // A state that is asked for is one of those that ended.
  const active = (data?.items ?? []).filter(
    (job) =>
      state === undefined && (kind === undefined || job.kind === kind) && (ns === undefined || job.namespace === ns),
  )
  const names = useQuery(namespacesQuery()).data?.items.map(({ name }) => name) ?? []
  const show = (part: Partial<JobsSearch>): void =>
    void navigate({ search: { ...search, id: undefined, ...part }, ...inPlace })
  // Both stay the same, so that jobs at work, which are read each second, do not render the list of ended ones.
  const open = useCallback(
    (next: string | undefined): void => void navigate({ search: (old) => ({ ...old, id: next }), ...inPlace }),
    [navigate],
  )
  const ended = useMemo(
    () => ({ kind, namespace: ns, ...filterOf({ state, since, from, to }) }),
    [kind, ns, state, since, from, to],
  )
  const close = (): void => setAsking(undefined)
  const started = (job: string): void => {
    close()
    open(job)
  }
  return (
    <Page
      title={t('Jobs')}
      controls={
        <>
          <SmallSelect
            label={t('Kind')}
            value={kind ?? ''}
            choices={[
              { value: '', label: t('all kinds') },
              ...Object.entries(kindLabel).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(next) => show({ kind: next === '' ? undefined : next })}
          />
          <SmallSelect
            label={t('Namespace')}
            value={ns ?? ''}
            choices={[
              { value: '', label: t('all namespaces') },
              // One that was dropped has jobs, too.
              ...plainChoices([...new Set([...names, ...(ns === undefined ? [] : [ns])])]),
            ]}
            onChange={(next) => show({ ns: next === '' ? undefined : next })}
          />
          <ListFilters
            value={{ state, since, from, to }}
            onChange={(next) => void navigate({ search: { kind, ns, ...next }, ...inPlace })}
          />
          {starts && <Button onClick={() => setAsking('count')}>{t('Count records')}</Button>}
          {starts && <Button onClick={() => setAsking('scrub')}>{t('Scrub a device')}</Button>}
        </>
      }
    >
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      {active.map((job) => (
        <Card key={job.id}>
          <JobPanel job={job} />
          <div className="row end">
            <Button small onClick={() => open(job.id)}>
              {t('Workers and details')}
            </Button>
          </div>
        </Card>
      ))}
      <EndedJobs filter={ended} below={active.length > 0} onOpen={open} />
      <CountRecords open={asking === 'count'} onClose={close} onStarted={started} />
      <ScrubNamespace open={asking === 'scrub'} onClose={close} onStarted={started} />
      <JobDialog id={id} onClose={() => open(undefined)} />
    </Page>
  )
}
