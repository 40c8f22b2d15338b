import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { startBackup, type Target, useRefreshBackups } from '../../api/backups'
import { namespacesQuery } from '../../api/queries'
import type { Backup } from '../../api/types'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { CurlLine } from '../../components/CurlLine'
import { isOpen } from '../../components/namespaces/namespace-states'
import { recordsText } from '../../components/namespaces/records-text'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Help } from '../../ui/Help'
import { SelectField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { pointWords, shortId } from './backup-words'
import { basesOf } from './chain'
import { emptyPace, paceOf, paceProblems } from './pace'
import { PaceFields } from './PaceFields'
import { targetChoices } from './target'
import { t } from '../../language/text'

interface Props {
  namespace: string | undefined
  /** where the page looks, and where a backup goes */
  target: Target
  targets: readonly string[]
  /** those there; empty if the caller may not see them */
  backups: readonly Backup[]
  open: boolean
  onClose: () => void
  onStarted: (job: string) => void
}

/** Starts a backup of a namespace: a full one, or one of what changed since another. */
export function BackUp(props: Props) {
  const backs = useMay()('startBackup', { namespace: props.namespace })
  return (
    <Dialog title={t('Back up a namespace')} open={props.open} onClose={props.onClose}>
      {backs ? <Form {...props} /> : <RoleNeeded what={t('Backing a namespace up')} operation="startBackup" />}
    </Dialog>
  )
}

function absentWords(ns: string, known: boolean): string {
  if (!known) return ns
  return ns === '' ? t('none to back up') : t('{ns} (cannot be backed up now)', { ns })
}

function Form({ namespace, target: chosen, targets, backups, onClose, onStarted }: Props) {
  const refresh = useRefreshBackups()
  const may = useMay()
  const { data, error } = useQuery(namespacesQuery())
  // Those on a cluster are not backed up.
  const able = (data?.items ?? []).filter(
    (one) => isOpen(one) && one.config.storage.engine !== 'cassandra' && may('startBackup', { namespace: one.name }),
  )
  const [named, setNamed] = useState(namespace)
  const ns = named ?? able[0]?.name ?? ''
  const [target, setTarget] = useState(chosen)
  const [base, setBase] = useState('')
  const [pace, setPace] = useState(emptyPace)
  const body = { ...(target !== undefined && { target }), ...(base !== '' && { base }), ...paceOf(pace) }
  const start = useMutation({
    mutationFn: startBackup,
    onSuccess: ({ id }) => {
      refresh()
      onStarted(id)
    },
  })
  // One that the address names need not wait for the list.
  const isAble = data === undefined ? ns !== '' : able.some(({ name }) => name === ns)
  const ready = isAble && Object.keys(paceProblems(pace)).length === 0
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) start.mutate({ ns, body })
      }}
    >
      <Problem error={error} />
      <SelectField
        label={t('Namespace')}
        value={ns}
        choices={[
          ...(able.some(({ name }) => name === ns) ? [] : [{ value: ns, label: absentWords(ns, data !== undefined) }]),
          ...able.map((one) => ({ value: one.name, label: `${one.name} (${recordsText(one)})` })),
        ]}
        onChange={(next) => {
          setNamed(next)
          setBase('')
        }}
      />
      {(targets.length > 0 || target !== undefined) && (
        <SelectField
          label={t('Place')}
          value={target ?? ''}
          choices={targetChoices(targets, target)}
          onChange={(next) => {
            setTarget(next === '' ? undefined : next)
            setBase('')
          }}
        />
      )}
      <SelectField
        label={t('Backup')}
        value={base}
        choices={[
          { value: '', label: t('full: all records') },
          ...(target === chosen ? basesOf(ns, backups) : []).map((one) => ({
            value: one.id,
            label: t('what changed since {one} ({id})', { one: pointWords(one) ?? one.id, id: shortId(one.id) }),
          })),
        ]}
        onChange={setBase}
      />
      <PaceFields pace={pace} onChange={setPace} />
      <Help>
        {t(
          'The namespace is read and written meanwhile. Each segment is in the backup as it was at one moment. A backup of what changed is smaller, and needs the one that it builds on: keep both.',
        )}
      </Help>
      <CurlLine
        method="POST"
        path={`/api/v1/namespaces/${encodeURIComponent(ns)}/backups`}
        body={JSON.stringify(body)}
      />
      <Problem error={start.error} />
      <div className="row end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button type="submit" look="primary" busy={start.isPending} disabled={!ready}>
          {t('Back up')}
        </Button>
      </div>
    </form>
  )
}
