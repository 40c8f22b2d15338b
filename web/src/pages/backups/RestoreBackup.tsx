import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { restoreBackup, type Target, useRefreshBackups } from '../../api/backups'
import { ApiProblem, problemText } from '../../api/problem'
import { namespacesQuery } from '../../api/queries'
import type { Backup, NamespaceConfig } from '../../api/types'
import { CurlLine } from '../../components/CurlLine'
import { isOpen } from '../../components/namespaces/namespace-states'
import { recordsText } from '../../components/namespaces/records-text'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Help } from '../../ui/Help'
import { plainChoices, SelectField, TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Segmented } from '../../ui/Segmented'
import { problemsOf, refusalOf } from '../namespaces/new/form'
import { pointWords } from './backup-words'
import { emptyPace, paceProblems } from './pace'
import { PaceFields } from './PaceFields'
import { type RestoreForm, restoreRequest, storageOf } from './restore-form'
import { targetQuery } from './target'
import { TargetStorage } from './TargetStorage'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

interface Props {
  backup: Backup
  target: Target
  onClose: () => void
  onStarted: (job: string) => void
}

/** Restores a backup into a new namespace, also of another engine, or into one that exists. */
export function RestoreBackup(props: Props) {
  return (
    <Dialog title={t('Restore a backup')} open onClose={props.onClose} wide>
      <Form {...props} />
    </Dialog>
  )
}

const storageWords = (config: NamespaceConfig | undefined): string =>
  config === undefined ? t('as before') : t('as before: {engine}', { engine: config.storage.engine })

function Form({ backup, target, onClose, onStarted }: Props) {
  const { id, namespace, config } = backup
  const refresh = useRefreshBackups()
  const { data, error } = useQuery(namespacesQuery())
  const open = (data?.items ?? []).filter(isOpen)
  const [form, setForm] = useState<RestoreForm>(() => ({
    into: 'new',
    storage: storageOf(backup),
    stored: 'as before',
    existing: '',
    merge: false,
    pace: emptyPace,
  }))
  const restore = useMutation({
    mutationFn: restoreBackup,
    onSuccess: (job) => {
      refresh()
      onStarted(job.id)
    },
  })
  const set = (part: Partial<RestoreForm>): void => {
    if (restore.isError) restore.reset()
    setForm({ ...form, ...part })
  }
  // The one that was backed up is proposed.
  const existing = form.existing || (open.find(({ name }) => name === namespace) ?? open[0])?.name || ''
  const filled = { ...form, existing }
  const body = restoreRequest(filled)
  // The server would write into it.
  const taken = (data?.items ?? []).some(({ name }) => name === form.storage.name)
  const problems = {
    ...problemsOf(form.storage),
    ...(taken && { name: t('There is a namespace of this name: choose "one that exists" to write into it') }),
  }
  const wrong =
    form.into === 'existing'
      ? existing === ''
      : form.stored === 'otherwise'
        ? Object.keys(problems).length > 0
        : problems.name !== undefined
  const ready = data !== undefined && !wrong && Object.keys(paceProblems(form.pace)).length === 0
  const refused = restore.error instanceof ApiProblem ? refusalOf(restore.error.field, problemText(restore.error)) : {}
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) restore.mutate({ id, target, body })
      }}
    >
      <p>
        <Say
          text="The namespace <code>{namespace}</code> as it was at {backup}."
          values={{ namespace: namespace ?? '?', backup: pointWords(backup) ?? t('an unknown time') }}
        />
      </p>
      <Segmented
        label={t('Restore into')}
        value={form.into}
        choices={[
          { value: 'new', label: t('a new namespace') },
          { value: 'existing', label: t('one that exists') },
        ]}
        onChange={(into) => set({ into })}
      />
      <Problem error={error} />
      {form.into === 'new' ? (
        <>
          <div className="grid-2 pair">
            <TextField
              label={t('Name')}
              mono
              value={form.storage.name}
              error={problems.name}
              onChange={(name) => set({ storage: { ...form.storage, name } })}
            />
            <SelectField
              label={t('Storage')}
              value={form.stored}
              choices={[
                { value: 'as before', label: storageWords(config) },
                { value: 'otherwise', label: t('choose another') },
              ]}
              onChange={(stored) => set({ stored })}
            />
          </div>
          {form.stored === 'otherwise' && (
            <TargetStorage
              form={form.storage}
              set={(part) => set({ storage: { ...form.storage, ...part } })}
              problems={{ ...refused, ...problems }}
            />
          )}
        </>
      ) : (
        <>
          <SelectField
            label={t('Namespace')}
            value={existing}
            choices={
              open.length === 0
                ? plainChoices([''])
                : open.map((one) => ({ value: one.name, label: `${one.name} (${recordsText(one)})` }))
            }
            onChange={(next) => set({ existing: next })}
          />
          <label className="check">
            <input type="checkbox" checked={form.merge} onChange={(event) => set({ merge: event.target.checked })} />
            <span>
              {t(
                'Merge: it may have records. Those of the backup replace records with the same keys, and the others stay',
              )}
            </span>
          </label>
        </>
      )}
      <PaceFields pace={form.pace} onChange={(pace) => set({ pace })} />
      <Help>
        {t(
          'Every file is verified before the first record is written. A new namespace is listed once it has all records, with their metadata. In one that exists, each record is written anew, and its settings, sets and indexes stay.',
        )}
      </Help>
      <CurlLine
        method="POST"
        path={`/api/v1/backups/${id}/restore${targetQuery(target)}`}
        body={JSON.stringify(body)}
      />
      <Problem error={restore.error} />
      <div className="row end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button type="submit" look="primary" busy={restore.isPending} disabled={!ready}>
          {t('Restore')}
        </Button>
      </div>
    </form>
  )
}
