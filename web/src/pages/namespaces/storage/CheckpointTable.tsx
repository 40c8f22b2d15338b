import { memo } from 'react'
import type { Checkpoint } from '../../../api/types'
import { bytes, count, latency } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'
import { Empty } from '../../../ui/Empty'
import { Ago } from '../../../ui/Time'
import { t } from '../../../language/text'

const causes: Record<Checkpoint['cause'], string> = {
  log: t('log filled up'),
  time: t('interval passed'),
  asked: t('requested'),
  close: t('closing'),
}

/** The API has more. */
const SHOWN = 10

/** The newest checkpoints: when, why, and what they wrote. */
export const CheckpointTable = memo(function CheckpointTable({ checkpoints }: { checkpoints: readonly Checkpoint[] }) {
  return (
    <Card
      title={t('Checkpoints')}
      aside={
        checkpoints.length > SHOWN
          ? t('the newest {shown} of {checkpoints}', { shown: SHOWN, checkpoints: checkpoints.length })
          : undefined
      }
      flush
    >
      {checkpoints.length === 0 ? (
        <Empty title={t('No checkpoints yet')}>{t('One begins when the log fills up or the interval passes.')}</Empty>
      ) : (
        <DataTable
          label={t('Checkpoints')}
          rows={checkpoints.slice(-SHOWN).toReversed()}
          keyOf={({ begunAt }) => begunAt}
          columns={[
            {
              name: 'begun',
              label: t('begun'),
              sort: ({ begunAt }) => begunAt,
              cell: ({ begunAt }) => <Ago time={begunAt} />,
            },
            { name: 'cause', label: t('cause'), sort: ({ cause }) => cause, cell: ({ cause }) => causes[cause] },
            {
              name: 'took',
              label: t('took'),
              right: true,
              sort: ({ tookMs }) => tookMs,
              cell: ({ tookMs }) => latency(tookMs * 1e6),
            },
            {
              name: 'pages',
              label: t('pages'),
              right: true,
              sort: ({ pages }) => pages,
              cell: ({ pages }) => count(pages),
            },
            {
              name: 'log freed',
              label: t('log freed'),
              right: true,
              sort: ({ logBytes }) => logBytes,
              cell: ({ logBytes }) => bytes(logBytes),
            },
            {
              name: 'ended',
              label: t('ended'),
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
  if (whole) return <span className="badge good">{t('well')}</span>
  return newest ? <span className="badge">{t('not yet')}</span> : <span className="badge bad">{t('failed')}</span>
}
