import { memo, useMemo } from 'react'
import { RecordRows } from '../../records/rows/RecordRows'
import { figuresOf, reducedOf } from '../../records/request/aggregate'
import { askedOf, groupsOf } from '../../records/request/groups'
import { compactRequest } from '../../records/request/request'
import { shapeOf } from '../../records/request/shape'
import { phaseOf, type RecordStream, type StreamState, useStreamPart } from '../../records/use-record-stream'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { JobPanel } from '../jobs/JobPanel'
import { isActive } from '../jobs/job-state'
import { useJob, useJobPart } from '../jobs/use-job'
import { CostLine } from './CostLine'
import { Figures } from './Figures'
import { CountFigure } from './CountFigure'
import { GroupTable } from './GroupTable'
import { t } from '../../language/text'

/** Most groups in the table, because each has a DOM row. */
const GROUPS = 500

interface Props {
  stream: RecordStream
  /** text before the first run */
  idle: string
  /** whether the page writes the whole result to a file */
  exports: boolean
  /** the request that the form has now */
  path: string
  body: string
}

/** The rows of a scan, query or stream as they arrive, with the progress of the job and the cost. */
export const StreamResult = memo(function StreamResult({ stream, idle, exports, path, body }: Props) {
  const phase = useStreamPart(stream, phaseOf)
  const ranAt = useStreamPart(stream, pathOf)
  const ran = useStreamPart(stream, bodyOf)
  const isOther = useMemo(
    () => ranAt !== path || compactRequest(ran) !== compactRequest(body),
    [ranAt, path, ran, body],
  )
  if (phase === 'idle')
    return (
      <Card>
        <Empty title={t('Nothing run yet')}>{idle}</Empty>
      </Card>
    )
  return (
    <Card
      title={t('Result')}
      aside={isOther ? <span className="badge warn">{t('of the request before it was changed')}</span> : undefined}
    >
      <div className="stack">
        <Cost stream={stream} />
        <Failure stream={stream} />
        <Rows stream={stream} exports={exports} />
      </div>
    </Card>
  )
})

const jobIdOf = ({ jobId }: StreamState): string | undefined => jobId
const pathOf = ({ path }: StreamState): string => path
const bodyOf = ({ body }: StreamState): string => body
const errorOf = ({ error }: StreamState): unknown => error
const wholeOf = (state: StreamState): StreamState => state

/** The work so far: its job and what it has cost. */
function Cost({ stream }: Pick<Props, 'stream'>) {
  const state = useStreamPart(stream, wholeOf)
  const job = useJob(state.jobId)
  const shape = useMemo(() => shapeOf(state.body), [state.body])
  return (
    <>
      {/* What was read of the job may be older than the end of the stream: rows must not move under a pointer then. */}
      {job !== undefined && ((state.phase !== 'done' && isActive(job)) || job.damaged > 0) && (
        <JobPanel job={job} aborts={false} />
      )}
      <CostLine state={state} job={job} groups={shape === 'groups'} />
    </>
  )
}

/** Why it ended early. */
const Failure = memo(function Failure({ stream }: Pick<Props, 'stream'>) {
  const error = useStreamPart(stream, errorOf)
  const state = useJobPart(useStreamPart(stream, jobIdOf), (job) => job.state)
  return state === 'aborted' ? <p>{t('Aborted. The rows received so far are shown.')}</p> : <Problem error={error} />
})

/** What has arrived. The progress of the job does not render it. */
const Rows = memo(function Rows({ stream, exports }: Pick<Props, 'stream' | 'exports'>) {
  const body = useStreamPart(stream, bodyOf)
  const rows = useStreamPart(stream, (state) => state.rows)
  const total = useStreamPart(stream, (state) => state.count)
  const phase = useStreamPart(stream, phaseOf)
  const shape = useMemo(() => shapeOf(body), [body])
  const groups = useMemo(
    () => (shape === 'groups' ? groupsOf(rows.slice(0, GROUPS), askedOf(body)) : undefined),
    [shape, rows, body],
  )
  const [first] = rows
  const figures =
    shape === 'figures' ? figuresOf(first) : shape === 'reduced' && first !== undefined ? reducedOf(first) : undefined
  return (
    <>
      {figures !== undefined && <Figures figures={figures} />}
      {groups !== undefined && <GroupTable groups={groups} total={total} />}
      {shape === 'count' && <CountFigure row={first} />}
      {(shape === 'records' || shape === 'rows') && rows.length > 0 && (
        <RecordRows rows={rows} plain={shape === 'rows'} ns={stream.state.ns} total={total} exports={exports} />
      )}
      {phase === 'done' && total === 0 && (
        <Empty title={t('No matching records')}>{t('The set is empty, or no record matches the filter.')}</Empty>
      )}
    </>
  )
})
