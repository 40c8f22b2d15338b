import { NamespaceOf } from '../../components/namespaces/NamespaceOf'
import { stateWords } from '../../components/state-words'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { memo, useSyncExternalStore } from 'react'
import { removeWorkload } from '../../api/actions'
import { workloadQuery } from '../../api/queries'
import type { WorkloadRun } from '../../api/types'
import { useMay } from '../../api/use-may'
import { WrittenTile, writeTile, type TileFigures } from '../../components/Tile'
import { EventScope } from '../../charts/events/scope'
import { useEventHistory } from '../../components/use-event-history'
import { stateTone } from '../../components/jobs/job-state'
import { rate } from '../../format'
import { useWritten } from '../../live/use-written'
import { Page } from '../../shell/Page'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Progress } from '../../ui/Progress'
import { Skeleton } from '../../ui/Skeleton'
import { ResultCard } from './ResultCard'
import { RunCharts } from './RunCharts'
import { RunPercentiles } from './RunPercentiles'
import { type RunSeconds, useRunSeconds } from './run-seconds'
import { ms, percent, runTitle, specWords } from './run-words'
import { t } from '../../language/text'
import { JobError } from '../../components/jobs/JobError'

/** A run without its seconds. */
type RunHead = Omit<WorkloadRun, 'frames'> & { begun: boolean }

const headOf = ({ frames, ...run }: WorkloadRun): RunHead => ({ ...run, begun: frames.length > 0 })

/** One run: live while it runs, then its result. Its seconds draw charts and write tiles, and do not render the page. */
export function RunPage() {
  const { id } = useParams({ from: '/benchmarks/$id' })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { data: run, error, refetch } = useQuery({ ...workloadQuery(id), select: headOf })
  const removes = useMay()('removeWorkload', { namespace: run?.spec.namespace })
  const going = run !== undefined && run.endedAt === undefined
  const remove = useMutation({
    mutationFn: () => removeWorkload(id),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['workloads', 'list'] })
      if (going) void refetch()
      else void navigate({ to: '/benchmarks' })
    },
  })
  return (
    <Page
      title={run === undefined ? t('Benchmark') : runTitle(run)}
      controls={
        <>
          {run !== undefined && <span className={`badge ${stateTone[run.state]}`}>{stateWords(run.state)}</span>}
          <Link to="/benchmarks" className="btn small">
            {t('All runs')}
          </Link>
          {run !== undefined && removes && (
            <Button small look={going ? 'danger' : 'plain'} busy={remove.isPending} onClick={() => remove.mutate()}>
              {going ? t('Abort') : t('Forget')}
            </Button>
          )}
        </>
      }
    >
      <Problem error={error ?? remove.error} {...(error !== null && { onRetry: () => void refetch() })} />
      {run === undefined && error === null && (
        <Card>
          <Skeleton lines={6} />
        </Card>
      )}
      {run !== undefined && <Run run={run} going={going} />}
    </Page>
  )
}

const Run = memo(function Run({ run, going }: { run: RunHead; going: boolean }) {
  const { result, spec } = run
  const seconds = useRunSeconds(run.id)
  useEventHistory(run.startedAt, run.endedAt, spec.namespace)
  return (
    <>
      <p className="mute">
        <NamespaceOf namespace={spec.namespace} former={run.former} />
        {' · '}
        {spec.set ?? ''}
        {' · '}
        {specWords(spec)}
      </p>
      {run.error !== undefined && <JobError error={run.error} />}
      {run.unsaved !== undefined && (
        <div className="note warn" role="status">
          <strong>{t('This run is not saved yet')}</strong>
          <p>{run.unsaved}</p>
          <p className="mute">
            {t('The server keeps trying. Make room on its disk: after a kill the run is shown as failed.')}
          </p>
        </div>
      )}
      {going && <RunProgress run={run} seconds={seconds} />}
      {!run.begun ? (
        <Card>
          <Empty title={going ? t('No data yet') : t('No data')}>
            {going && spec.fill === true
              ? t('The run starts after all keys are written.')
              : t('The charts have one point per second.')}
          </Empty>
        </Card>
      ) : (
        <>
          <Tiles seconds={seconds} />
          <EventScope value={spec.namespace}>
            <RunCharts seconds={seconds} />
          </EventScope>
        </>
      )}
      {result !== undefined && (
        <>
          <RunPercentiles id={run.id} result={result} />
          <ResultCard result={result} />
        </>
      )}
    </>
  )
})

function RunProgress({ run: { spec, begun }, seconds }: { run: RunHead; seconds: RunSeconds }) {
  const at = useSyncExternalStore(seconds.subscribe, () => seconds.read()?.frames.at(-1)?.atSeconds ?? 0)
  const total = spec.durationSeconds ?? (spec.operations === undefined ? 10 : undefined)
  return <Progress label={t('Progress of the run')} done={at} total={begun ? total : undefined} />
}

const NAMES = [t('Operations'), 'p99 read', 'p99 write', t('Reads within 1 ms')]

/** Figures of the run so far, or of the whole run when it has ended. */
function Tiles({ seconds }: { seconds: RunSeconds }) {
  const grid = useWritten<HTMLDivElement>(seconds, ({ children }) =>
    figuresOf(seconds.read()).forEach((figures, index) => writeTile(children[index], figures)),
  )
  return (
    <div ref={grid} className="grid-4">
      {NAMES.map((name) => (
        <WrittenTile key={name} name={name} />
      ))}
    </div>
  )
}

function figuresOf(run: WorkloadRun | undefined): TileFigures[] {
  const shown = run?.result ?? run?.frames.at(-1)
  if (shown === undefined) return []
  const { tps, read, write } = shown
  const note = run?.result === undefined ? t('in the last second') : t('of the whole run')
  return [
    { value: rate(tps), note },
    { value: read.count > 0 ? ms(read.p99Ms) : '–', note },
    { value: write.count > 0 ? ms(write.p99Ms) : '–', note },
    {
      value: read.count > 0 ? percent(read.under1msPct) : '–',
      note: t('writes {count}', { count: write.count > 0 ? percent(write.under1msPct) : '–' }),
    },
  ]
}
