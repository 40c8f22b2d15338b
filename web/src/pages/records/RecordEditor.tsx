import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { isExactObject, printExact } from '../../records/json'
import { readRecord } from '../../records/client'
import { fieldsOf } from '../../records/bins'
import type { RecordKey } from '../../records/key'
import { Dialog } from '../../ui/Dialog'
import { Skeleton } from '../../ui/Skeleton'
import { EditForm } from './EditForm'
import { MissingRecord } from './MissingRecord'
import { ShownRecord } from './ShownRecord'

interface Props {
  ns: string
  set: string | undefined
  target: RecordKey | undefined
  create: boolean
  onClose: () => void
  onCreated: (key: RecordKey, set: string) => void
}

/** The editor as a dialog over the page; its record is in the address. It shows the record to those who may not write. */
export function RecordEditor({ ns, set, target, create, onClose, onCreated }: Props) {
  const open = target !== undefined || create
  const writes = useMay()('putRecord', { namespace: ns, set })
  return (
    <Dialog title={target === undefined ? 'New record' : `Record ${target.text}`} open={open} onClose={onClose} wide>
      {target !== undefined && set !== undefined && (
        <Existing
          key={`${target.type}:${target.text}`}
          ns={ns}
          set={set}
          target={target}
          writes={writes}
          onClose={onClose}
          onOther={(type) => onCreated({ ...target, type }, set)}
        />
      )}
      {target === undefined && create && !writes && <RoleNeeded what="Writing a record" operation="putRecord" />}
      {target === undefined && create && writes && (
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
  writes: boolean
  onClose: () => void
  onOther: (type: RecordKey['type']) => void
}

function Existing({ ns, set, target, writes, onClose, onOther }: ExistingProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['record', ns, set, target.type, target.text],
    queryFn: () => readRecord(ns, set, target),
    staleTime: 0,
  })
  if (error !== null)
    return <MissingRecord error={error} target={target} onRetry={() => void refetch()} onOther={onOther} />
  if (data === undefined) return <Skeleton lines={6} />
  const bins = data.record['bins'] ?? {}
  if (!writes) return <ShownRecord record={data.record} bins={printExact(bins, 2)} onClose={onClose} />
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
