import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { removeWorkload } from '../../api/actions'
import { workloadQuery } from '../../api/queries'
import type { WorkloadRun } from '../../api/types'
import { Tile } from '../../components/Tile'
import { stateTone } from '../../components/jobs/job-state'
import { rate } from '../../format'
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
import { ms, percent, runTitle, specWords } from './run-words'

/** One run: live while it runs, then its result. */
export function RunPage() {
  const { id } = useParams({ from: '/benchmarks/$id' })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { data: run, error, refetch } = useQuery(workloadQuery(id))
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
      title={run === undefined ? 'Benchmark' : runTitle(run)}
      controls={
        <>
          {run !== undefined && <span className={`badge ${stateTone[run.state]}`}>{run.state}</span>}
          <Link to="/benchmarks" className="btn small">
            All runs
          </Link>
          {run !== undefined && (
            <Button small look={going ? 'danger' : 'plain'} busy={remove.isPending} onClick={() => remove.mutate()}>
              {going ? 'Abort' : 'Forget'}
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

function Run({ run, going }: { run: WorkloadRun; going: boolean }) {
  const { frames, result, spec } = run
  return (
    <>
      <p className="mute">
        {spec.namespace} · {spec.set ?? ''} · {specWords(spec)}
      </p>
      {run.error !== undefined && (
        <div className="problem">
          <code>{run.error.code}</code>
          <span>{run.error.message}</span>
        </div>
      )}
      {run.unsaved !== undefined && (
        <div className="note warn" role="status">
          <strong>This run is not saved yet</strong>
          <p>{run.unsaved}</p>
          <p className="mute">
            The server keeps trying. Make room on its disk: after a kill the run is shown as failed.
          </p>
        </div>
      )}
      {going && <RunProgress run={run} />}
      {frames.length === 0 ? (
        <Card>
          <Empty title={going ? 'No data yet' : 'No data'}>
            {going && spec.fill === true
              ? 'The run starts after all keys are written.'
              : 'The charts have one point per second.'}
          </Empty>
        </Card>
      ) : (
        <>
          <Tiles run={run} />
          <RunCharts frames={frames} />
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
}

function RunProgress({ run }: { run: WorkloadRun }) {
  const at = run.frames.at(-1)?.atSeconds ?? 0
  const total = run.spec.durationSeconds ?? (run.spec.operations === undefined ? 10 : undefined)
  const started = run.frames.length > 0
  return <Progress label="Progress of the run" done={at} total={started ? total : undefined} />
}

/** Figures of the run so far, or of the whole run when it has ended. */
function Tiles({ run: { frames, result } }: { run: WorkloadRun }) {
  const shown = result ?? frames.at(-1)
  if (shown === undefined) return null
  const note = result === undefined ? 'in the last second' : 'of the whole run'
  return (
    <div className="grid-4">
      <Tile name="Operations" value={rate(shown.tps)} note={note} />
      <Tile name="p99 read" value={shown.read.count > 0 ? ms(shown.read.p99Ms) : '–'} note={note} />
      <Tile name="p99 write" value={shown.write.count > 0 ? ms(shown.write.p99Ms) : '–'} note={note} />
      <Tile
        name="Reads within 1 ms"
        value={shown.read.count > 0 ? percent(shown.read.under1msPct) : '–'}
        note={`writes ${shown.write.count > 0 ? percent(shown.write.under1msPct) : '–'}`}
      />
    </div>
  )
}
