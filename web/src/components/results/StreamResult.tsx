import { useMemo } from 'react'
import { RecordRows } from '../../records/rows/RecordRows'
import { figuresOf, reducedOf } from '../../records/request/aggregate'
import { askedOf, groupsOf } from '../../records/request/groups'
import { shapeOf } from '../../records/request/shape'
import type { StreamState } from '../../records/use-record-stream'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { JobPanel } from '../jobs/JobPanel'
import { isActive } from '../jobs/job-state'
import { useJob } from '../jobs/use-job'
import { CostLine } from './CostLine'
import { Figures } from './Figures'
import { CountFigure } from './CountFigure'
import { GroupTable } from './GroupTable'

/** Most groups in the table, because each has a DOM row. */
const GROUPS = 500

interface Props {
  state: StreamState
  stop: () => void
  /** text before the first run */
  idle: string
  /** whether the page writes the whole result to a file */
  exports: boolean
}

/** The rows of a scan, query or stream as they arrive, with the progress of the job and the cost. */
export function StreamResult({ state, stop, idle, exports }: Props) {
  const job = useJob(state.jobId)
  const shape = useMemo(() => shapeOf(state.body), [state.body])
  const [first] = state.rows
  const figures =
    shape === 'figures' ? figuresOf(first) : shape === 'reduced' && first !== undefined ? reducedOf(first) : undefined
  const groups = useMemo(
    () => (shape === 'groups' ? groupsOf(state.rows.slice(0, GROUPS), askedOf(state.body)) : undefined),
    [shape, state.rows, state.body],
  )
  if (state.phase === 'idle')
    return (
      <Card>
        <Empty title="Nothing run yet">{idle}</Empty>
      </Card>
    )
  return (
    <Card
      title="Result"
      end={
        state.phase === 'running' && (
          <Button small look="danger" onClick={stop}>
            Stop
          </Button>
        )
      }
    >
      <div className="stack">
        {job !== undefined && (isActive(job) || job.damaged > 0) && <JobPanel job={job} />}
        <CostLine state={state} job={job} groups={groups !== undefined} />
        {job?.state === 'aborted' ? (
          <p>Aborted. The rows received so far are shown.</p>
        ) : (
          <Problem error={state.error} />
        )}
        {figures !== undefined && <Figures figures={figures} />}
        {groups !== undefined && <GroupTable groups={groups} total={state.count} />}
        {shape === 'count' && <CountFigure row={first} />}
        {(shape === 'records' || shape === 'rows') && state.rows.length > 0 && (
          <RecordRows rows={state.rows} plain={shape === 'rows'} ns={state.ns} total={state.count} exports={exports} />
        )}
        {state.phase === 'done' && state.count === 0 && (
          <Empty title="No matching records">The set is empty, or no record matches the filter.</Empty>
        )}
      </div>
    </Card>
  )
}
