import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { settleTruncation } from '../../../../api/actions'
import { truncationsQuery } from '../../../../api/queries'
import type { Truncation } from '../../../../api/types'
import { useMay } from '../../../../api/use-may'
import { useRefreshNamespaces } from '../../../../components/jobs/use-job'
import { bytes, clock, count, dateTime } from '../../../../format'
import { DataTable } from '../../../../table/DataTable'
import { Card } from '../../../../ui/Card'
import { Confirm } from '../../../../ui/Confirm'
import { Problem } from '../../../../ui/Problem'
import { Ago } from '../../../../ui/Time'
import { toast } from '../../../../ui/toast'
import { useUndoTruncation } from './use-undo-truncation'
import { t } from '../../../../language/text'
import { ActionButton } from '../../../../components/access/ActionButton'

/** Truncations of a namespace, to undo or to make final before their time is up. */
export function TruncationsCard({ ns }: { ns: string }) {
  const may = useMay()
  const { data } = useQuery({ ...truncationsQuery(ns), enabled: may('listTruncations', { namespace: ns }) })
  const undo = useUndoTruncation(ns)
  const [settling, setSettling] = useState<Truncation>()
  if (data === undefined || data.items.length === 0) return null
  return (
    <Card title={t('Truncations')} aside={t('undo one before its time is up; then its records are gone')} flush>
      <DataTable
        label={t('Truncations of {ns}', { ns })}
        rows={data.items}
        keyOf={({ id }) => id}
        columns={[
          {
            name: 'set',
            label: t('set'),
            cell: ({ set }) => (set === undefined ? t('all sets') : <strong>{set}</strong>),
          },
          { name: 'truncated', label: t('truncated'), low: 2, cell: ({ truncatedAt }) => <Ago time={truncatedAt} /> },
          {
            name: 'changed before',
            label: t('changed before'),
            low: 4,
            cell: ({ before }) => dateTime(Date.parse(before)),
          },
          { name: 'gone at', label: t('gone at'), cell: ({ until }) => clock(Date.parse(until)) },
          { name: 'records', label: t('records'), low: 1, right: true, cell: ({ records }) => count(records) },
          { name: 'size', label: t('size'), low: 3, right: true, cell: (truncation) => bytes(truncation.bytes) },
          {
            name: 'actions',
            label: t('actions'),
            actions: true,
            cell: (truncation) => (
              <div className="row">
                <ActionButton
                  operation="undoTruncation"
                  place={{ namespace: ns }}
                  small
                  busy={undo.variables === truncation.id && undo.isPending}
                  onClick={() => undo.mutate(truncation.id)}
                >
                  {t('Undo')}
                </ActionButton>
                <ActionButton
                  operation="settleTruncation"
                  place={{ namespace: ns }}
                  small
                  look="danger"
                  onClick={() => setSettling(truncation)}
                >
                  {t('Delete…')}
                </ActionButton>
              </div>
            ),
          },
        ]}
      />
      {settling !== undefined && <Settle ns={ns} truncation={settling} onClose={() => setSettling(undefined)} />}
    </Card>
  )
}

function Settle({ ns, truncation, onClose }: { ns: string; truncation: Truncation; onClose: () => void }) {
  const { id, set: name = ns } = truncation
  const refresh = useRefreshNamespaces()
  const settle = useMutation({
    mutationFn: () => settleTruncation(ns, id, name),
    onSuccess: () => {
      toast(t('Removing what was truncated in {name}: see Jobs', { name }))
      onClose()
    },
    onSettled: refresh,
  })
  return (
    <Confirm
      title={t('Delete what was truncated in {name}', { name })}
      typed={name}
      action={t('Delete for good')}
      busy={settle.isPending}
      open
      onClose={onClose}
      onConfirm={() => settle.mutate()}
    >
      <p>
        {t('Removes {records, plural, one {# record} other {# records}} and frees {bytes}. This cannot be undone.', {
          records: truncation.records,
          bytes: bytes(truncation.bytes),
        })}
      </p>
      <Problem error={settle.error} />
    </Confirm>
  )
}
