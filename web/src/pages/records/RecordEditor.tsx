import { useQuery } from '@tanstack/react-query'
import { isExactObject, printExact } from '../../records/json'
import { readRecord } from '../../records/client'
import { fieldsOf } from '../../records/bins'
import type { RecordKey } from '../../records/key'
import { Dialog } from '../../ui/Dialog'
import { Skeleton } from '../../ui/Skeleton'
import { EditForm } from './EditForm'
import { MissingRecord } from './MissingRecord'

interface Props {
  ns: string
  set: string | undefined
  target: RecordKey | undefined
  create: boolean
  onClose: () => void
  onCreated: (key: RecordKey, set: string) => void
}

/** The editor as a dialog over the page; its record is in the address. */
export function RecordEditor({ ns, set, target, create, onClose, onCreated }: Props) {
  const open = target !== undefined || create
  return (
    <Dialog title={target === undefined ? 'New record' : `Record ${target.text}`} open={open} onClose={onClose} wide>
      {target !== undefined && set !== undefined && (
        <Existing
          key={`${target.type}:${target.text}`}
          ns={ns}
          set={set}
          target={target}
          onClose={onClose}
          onOther={(type) => onCreated({ ...target, type }, set)}
        />
      )}
      {target === undefined && create && (
        <EditForm
          ns={ns}
          set={set}
          target={undefined}
          stored={undefined}
          onClose={onClose}
          onSaved={onCreated}
          onReload={() => undefined}
        />
      )}
    </Dialog>
  )
}

interface ExistingProps {
  ns: string
  set: string
  target: RecordKey
  onClose: () => void
  onOther: (type: RecordKey['type']) => void
}

function Existing({ ns, set, target, onClose, onOther }: ExistingProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['record', ns, set, target.type, target.text],
    queryFn: () => readRecord(ns, set, target),
    staleTime: 0,
  })
  if (error !== null)
    return <MissingRecord error={error} target={target} onRetry={() => void refetch()} onOther={onOther} />
  if (data === undefined) return <Skeleton lines={6} />
  const bins = data.record['bins'] ?? {}
  return (
    <EditForm
      key={data.etag}
      ns={ns}
      set={set}
      target={target}
      stored={{ ...data, fields: fieldsOf(bins), text: printExact(isExactObject(bins) ? bins : {}, 2) }}
      onClose={onClose}
      onSaved={() => void refetch()}
      onReload={() => void refetch()}
    />
  )
}
