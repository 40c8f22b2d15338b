import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { setBackupSchedule, useRefreshBackups } from '../../api/backups'
import { namespacesQuery } from '../../api/queries'
import type { BackupSchedule } from '../../api/types'
import { useMay } from '../../api/use-may'
import { CurlLine } from '../../components/CurlLine'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Help } from '../../ui/Help'
import { plainChoices, SelectField, TextField } from '../../ui/inputs'
import { NumberField } from '../../ui/NumberField'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { targetChoices } from './target'
import { emptySchedule, formOfSchedule, scheduleOf, scheduleProblems } from './schedule-form'
import { t } from '../../language/text'

interface Props {
  /** the namespace to begin with */
  namespace: string | undefined
  /** those there are: the one of the chosen namespace is changed */
  schedules: readonly BackupSchedule[]
  targets: readonly string[]
  onClose: () => void
}

/** Sets or changes the schedule of a namespace. */
export function ScheduleDialog(props: Props) {
  return (
    <Dialog title={t('Back up by schedule')} open onClose={props.onClose}>
      <Form {...props} />
    </Dialog>
  )
}

function Form({ namespace, schedules, targets, onClose }: Props) {
  const refresh = useRefreshBackups()
  const may = useMay()
  const { data, error } = useQuery(namespacesQuery())
  const names = (data?.items ?? [])
    .filter(
      ({ name, config }) => config.storage.engine !== 'cassandra' && may('setBackupSchedule', { namespace: name }),
    )
    .map(({ name }) => name)
  const [named, setNamed] = useState(namespace)
  const ns = named ?? names[0] ?? ''
  const startOf = (name: string) => {
    const present = schedules.find((one) => one.namespace === name)
    return present === undefined ? emptySchedule : formOfSchedule(present)
  }
  const [typed, setTyped] = useState<typeof emptySchedule>()
  const form = typed ?? startOf(ns)
  const problems = scheduleProblems(form)
  const body = scheduleOf(form)
  const save = useMutation({
    mutationFn: setBackupSchedule,
    onSuccess: () => {
      refresh()
      toast(t('Set the schedule of {ns}', { ns }))
      onClose()
    },
  })
  const ready = (data === undefined ? ns !== '' : names.includes(ns)) && Object.keys(problems).length === 0
  const field = (name: Exclude<keyof typeof form, 'target'>, label: string, hint: string) => {
    const shown = {
      label,
      hint,
      value: form[name],
      error: problems[name],
      onChange: (value: string) => setTyped({ ...form, [name]: value }),
    }
    return name === 'at' ? <TextField {...shown} /> : <NumberField min={1} {...shown} />
  }
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) save.mutate({ ns, body })
      }}
    >
      <Problem error={error} />
      <SelectField
        label={t('Namespace')}
        value={ns}
        choices={plainChoices([...new Set([...names, ns])])}
        onChange={(next) => {
          setNamed(next)
          setTyped(undefined)
        }}
      />
      <div className="grid-2 pair">
        {field('everyHours', t('Every, hours'), t('24: each day; 168: each week'))}
        {field('at', t('At, UTC'), t('Hours are counted from a Monday at this time'))}
        {field('fullEvery', t('Backups in a chain'), t('A full one, and those that build on it'))}
        {field('keepFull', t('Chains kept'), t('Older ones are deleted'))}
      </div>
      {(targets.length > 0 || form.target !== '') && (
        <SelectField
          label={t('Place')}
          value={form.target}
          choices={targetChoices(targets, form.target === '' ? undefined : form.target)}
          onChange={(target) => setTyped({ ...form, target })}
        />
      )}
      <Help>
        {t(
          'A chain is deleted as a whole, once a newer backup is complete. Backups that somebody made by hand stay. A backup that was due while the server did not run is made at the next start. The schedule ends with its namespace.',
        )}
      </Help>
      <CurlLine
        method="PUT"
        path={`/api/v1/namespaces/${encodeURIComponent(ns)}/backup-schedule`}
        body={JSON.stringify(body)}
      />
      <Problem error={save.error} />
      <div className="row end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button type="submit" look="primary" busy={save.isPending} disabled={!ready}>
          {t('Set schedule')}
        </Button>
      </div>
    </form>
  )
}
