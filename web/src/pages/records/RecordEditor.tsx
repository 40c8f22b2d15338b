import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { meQuery } from '../../api/queries'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { readRecord } from '../../records/client'
import { EDIT_MOST } from '../../records/edit'
import type { RecordKey } from '../../records/key'
import { Dialog } from '../../ui/Dialog'
import { Skeleton } from '../../ui/Skeleton'
import { EditForm } from './EditForm'
import { MissingRecord } from './MissingRecord'
import { ShownRecord } from './ShownRecord'
import { t } from '../../language/text'

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
  const user = useQuery(meQuery()).data?.user ?? ''
  const [changed, setChanged] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const leave = (): void => {
    setLeaving(false)
    setChanged(false)
    onClose()
  }
  const editing = { user, leaving, onLeaving: setLeaving, onChanged: setChanged, onClose: leave }
  const writes = useMay()('putRecord', { namespace: ns, set })
  return (
    <Dialog
      title={target === undefined ? t('New record') : t('Record {text}', { text: target.text })}
      open={open}
      onClose={() => (changed ? setLeaving(true) : leave())}
      wide
    >
      {target !== undefined && set !== undefined && (
        <Existing
          key={`${target.type}:${target.text}`}
          ns={ns}
          set={set}
          target={target}
          writes={writes}
          editing={editing}
          onOther={(type) => onCreated({ ...target, type }, set)}
        />
      )}
      {target === undefined && create && !writes && <RoleNeeded what={t('Writing a record')} operation="putRecord" />}
      {target === undefined && create && writes && (
        <EditForm
          ns={ns}
          set={set}
          target={undefined}
          stored={undefined}
          {...editing}
          onSaved={onCreated}
          onReload={() => undefined}
        />
      )}
    </Dialog>
  )
}

/** Who edits, and how the dialog is left. */
interface Editing {
  user: string
  leaving: boolean
  onLeaving: (leaving: boolean) => void
  onChanged: (changed: boolean) => void
  onClose: () => void
}

interface ExistingProps {
  ns: string
  set: string
  target: RecordKey
  writes: boolean
  editing: Editing
  onOther: (type: RecordKey['type']) => void
}

function Existing({ ns, set, target, writes, editing, onOther }: ExistingProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['record', ns, set, target.type, target.text],
    queryFn: () => readRecord(ns, set, target),
    staleTime: 0,
    // An edit begins from what is stored now, and nothing takes its place under the reader's hands.
    gcTime: 0,
    refetchOnReconnect: false,
  })
  if (error !== null)
    return <MissingRecord error={error} target={target} onRetry={() => void refetch()} onOther={onOther} />
  if (data === undefined) return <Skeleton lines={6} />
  if (!writes || data.bins.length > EDIT_MOST)
    return <ShownRecord record={data.record} bins={data.bins} writes={writes} onClose={editing.onClose} />
  return (
    <EditForm
      key={data.etag}
      ns={ns}
      set={set}
      target={target}
      stored={data}
      {...editing}
      onSaved={() => void refetch()}
      onReload={() => void refetch()}
    />
  )
}
