import { ActionButton } from '../../components/access/ActionButton'
import { stateWords } from '../../components/state-words'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { workloadQuery, workloadsQuery } from '../../api/queries'
import type { Workload, WorkloadFrame, WorkloadResult, WorkloadRun } from '../../api/types'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { stateTone } from '../../components/jobs/job-state'
import { filterOf } from '../../components/jobs/list-filter'
import { ListFilters } from '../../components/jobs/ListFilters'
import { MoreRows } from '../../components/jobs/MoreRows'
import { count, rate } from '../../format'
import { inPlace } from '../../search'
import { Page } from '../../shell/Page'
import type { ColumnDef } from '../../table/column'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { NewRun } from './NewRun'
import { mixWords, ms, percent, runTitle } from './run-words'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

/** Most runs that the server compares. */
const COMPARED = 6

/** Every run of the load generator; two to six of them can be compared. */
export function BenchmarksPage() {
  const { create = false, state, since, from, to } = useSearch({ from: '/benchmarks' })
  const navigate = useNavigate({ from: '/benchmarks' })
  const starts = useMay()('startWorkload')
  const listed = { state, since, from, to }
  const [picked, setPicked] = useState<readonly string[]>([])
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...workloadsQuery(filterOf(listed)),
    refetchInterval: (query) => {
      const [first, ...older] = query.state.data?.pages ?? []
      if (older.length > 0) return false
      return first?.items.some((run) => run.endedAt === undefined) === true ? 1000 : 5000
    },
  })
  const runs = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const filtered = state !== undefined || since !== undefined
  const chosen = useMemo(() => picked.filter((id) => runs.some((run) => run.id === id)), [picked, runs])
  const shownColumns = useMemo(() => columns(chosen, setPicked), [chosen, setPicked])
  const setCreate = (open: boolean): void =>
    void navigate({ search: { ...(open && { create: true }), ...listed }, ...inPlace })
  return (
    <Page
      title={t('Benchmarks')}
      controls={
        <>
          <ListFilters value={listed} onChange={(next) => void navigate({ search: next, ...inPlace })} />
          <Button
            disabled={chosen.length < 2}
            onClick={() => void navigate({ to: '/benchmarks/compare', search: { ids: chosen.join(',') } })}
          >
            {chosen.length > 1 ? t('Compare {n}', { n: chosen.length }) : t('Compare')}
          </Button>
          <ActionButton operation="startWorkload" look="primary" onClick={() => setCreate(true)}>
            {t('New run')}
          </ActionButton>
        </>
      }
    >
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      <Card flush={runs.length > 0}>
        {data === undefined && error === null && <Skeleton lines={5} height={22} />}
        {data !== undefined && runs.length === 0 && filtered && (
          <Empty title={t('No such runs')}>{t('No run has this state and time.')}</Empty>
        )}
        {data !== undefined && runs.length === 0 && !filtered && (
          <Empty
            title={t('No runs yet')}
            action={!starts && <RoleNeeded what={t('Starting one')} operation="startWorkload" />}
          >
            {t(
              'A run puts load on a namespace and measures every operation: throughput, percentiles, and the share within 1 ms.',
            )}
          </Empty>
        )}
        {runs.length > 0 && (
          <DataTable
            label={t('Runs')}
            list="benchmarks"
            noun={(n) => t('{n, plural, one {# run} other {# runs}}', { n })}
            columns={shownColumns}
            rows={runs}
            keyOf={(run) => run.id}
          />
        )}
        <MoreRows
          shown={runs.length}
          what={t('runs')}
          more={hasNextPage}
          busy={isFetchingNextPage}
          onMore={() => void fetchNextPage()}
        />
      </Card>
      <NewRun
        open={create}
        onClose={() => setCreate(false)}
        onStarted={(id) => void navigate({ to: '/benchmarks/$id', params: { id } })}
      />
    </Page>
  )
}

const columns = (chosen: readonly string[], choose: (ids: readonly string[]) => void): ColumnDef<Workload>[] => [
  {
    name: 'compare',
    label: t('compare'),
    actions: true,
    cell: (run) => (
      <input
        type="checkbox"
        aria-label={t('Compare {run}', { run: runTitle(run) })}
        checked={chosen.includes(run.id)}
        disabled={run.result === undefined || (!chosen.includes(run.id) && chosen.length >= COMPARED)}
        onChange={({ target: { checked } }) =>
          choose(checked ? [...chosen, run.id] : chosen.filter((id) => id !== run.id))
        }
      />
    ),
  },
  {
    name: 'run',
    label: t('run'),
    sort: runTitle,
    cell: (run) => (
      <Link to="/benchmarks/$id" params={{ id: run.id }} className="link">
        {runTitle(run)}
      </Link>
    ),
  },
  { name: 'namespace', label: t('namespace'), sort: (run) => run.spec.namespace, cell: (run) => run.spec.namespace },
  { name: 'mix', label: t('mix'), low: 4, sort: (run) => mixWords(run.spec), cell: (run) => mixWords(run.spec) },
  {
    name: 'threads',
    label: t('threads'),
    low: 6,
    right: true,
    sort: (run) => run.spec.threads ?? 0,
    cell: (run) => run.spec.threads,
  },
  {
    name: 'target rate',
    label: t('target rate'),
    low: 5,
    right: true,
    sort: (run) => run.spec.targetTps ?? 0,
    cell: (run) => (run.spec.targetTps === undefined ? '–' : `${count(run.spec.targetTps)}/s`),
  },
  {
    name: 'state',
    label: t('state'),
    sort: (run) => run.state,
    cell: (run) => (
      <>
        <span className={`badge ${stateTone[run.state]}`}>{stateWords(run.state)}</span>
        {run.unsaved !== undefined && <span className="badge warn">{t('not saved')}</span>}
      </>
    ),
  },
  {
    name: 'rate',
    label: t('rate'),
    right: true,
    sort: (run) => run.result?.tps ?? 0,
    cell: (run) => <Figure run={run} of={({ tps }) => tps} text={rate} />,
  },
  {
    name: 'p99 read',
    label: t('p99 read'),
    right: true,
    sort: (run) => run.result?.read.p99Ms ?? 0,
    cell: (run) => <Figure run={run} of={({ read }) => (read.count === 0 ? undefined : read.p99Ms)} text={ms} />,
  },
  {
    name: 'p99 write',
    label: t('p99 write'),
    right: true,
    sort: (run) => run.result?.write.p99Ms ?? 0,
    cell: (run) => <Figure run={run} of={({ write }) => (write.count === 0 ? undefined : write.p99Ms)} text={ms} />,
  },
  {
    name: 'reads ≤ 1 ms',
    label: t('reads ≤ 1 ms'),
    right: true,
    sort: (run) => run.result?.read.under1msPct ?? 0,
    cell: (run) => (
      <Figure run={run} of={({ read }) => (read.count === 0 ? undefined : read.under1msPct)} text={percent} />
    ),
  },
  {
    name: 'started',
    label: t('started'),
    low: 3,
    sort: (run) => run.createdAt,
    cell: (run) => <Ago time={run.createdAt} />,
  },
]

interface FigureProps {
  run: Workload
  of: (figures: WorkloadResult | WorkloadFrame) => number | undefined
  text: (value: number) => string
}

const lastOf = ({ frames }: WorkloadRun): WorkloadFrame | undefined => frames.at(-1)

/** A figure of a run, or of its last second while it runs. */
function Figure({ run, of, text }: FigureProps) {
  const isRunning = run.endedAt === undefined
  const { data: last } = useQuery({ ...workloadQuery(run.id), select: lastOf, enabled: isRunning })
  const figures = isRunning ? last : run.result
  const value = figures && of(figures)
  if (value === undefined) return '–'
  return isRunning ? (
    <Tip text={t('of the last second')}>
      <span className="mute">{text(value)}</span>
    </Tip>
  ) : (
    text(value)
  )
}
