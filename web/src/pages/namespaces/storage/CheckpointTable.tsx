import { memo } from 'react'
import type { Checkpoint } from '../../../api/types'
import { bytes, count, latency } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'
import { Empty } from '../../../ui/Empty'
import { Ago } from '../../../ui/Time'

const causes: Record<Checkpoint['cause'], string> = {
  log: 'log filled up',
  time: 'interval passed',
  asked: 'requested',
  close: 'closing',
}

/** The API has more. */
const SHOWN = 10

/** The newest checkpoints: when, why, and what they wrote. */
export const CheckpointTable = memo(function CheckpointTable({ checkpoints }: { checkpoints: readonly Checkpoint[] }) {
  return (
    <Card
      title="Checkpoints"
      aside={checkpoints.length > SHOWN ? `the newest ${SHOWN} of ${checkpoints.length}` : undefined}
      flush
    >
      {checkpoints.length === 0 ? (
        <Empty title="No checkpoints yet">One begins when the log fills up or the interval passes.</Empty>
      ) : (
        <DataTable
          label="Checkpoints"
          rows={checkpoints.slice(-SHOWN).toReversed()}
          keyOf={({ begunAt }) => begunAt}
          columns={[
            {
              name: 'begun',
              sort: ({ begunAt }) => begunAt,
              cell: ({ begunAt }) => <Ago time={begunAt} />,
            },
            { name: 'cause', sort: ({ cause }) => cause, cell: ({ cause }) => causes[cause] },
            {
              name: 'took',
              right: true,
              sort: ({ tookMs }) => tookMs,
              cell: ({ tookMs }) => latency(tookMs * 1e6),
            },
            { name: 'pages', right: true, sort: ({ pages }) => pages, cell: ({ pages }) => count(pages) },
            {
              name: 'log freed',
              right: true,
              sort: ({ logBytes }) => logBytes,
              cell: ({ logBytes }) => bytes(logBytes),
            },
            {
              name: 'ended',
              cell: (one) => <Ended one={one} newest={one === checkpoints.at(-1)} />,
            },
          ]}
        />
      )}
    </Card>
  )
})

/** A checkpoint that did not end before the next one failed. */
function Ended({ one: { whole }, newest }: { one: Checkpoint; newest: boolean }) {
  if (whole) return <span className="badge good">well</span>
  return newest ? <span className="badge">not yet</span> : <span className="badge bad">failed</span>
}
