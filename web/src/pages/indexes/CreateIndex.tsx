import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { createIndex } from '../../api/actions'
import { namespaceQuery } from '../../api/queries'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { CurlLine } from '../../components/CurlLine'
import { NamespacePicker, SetPicker } from '../../components/fields/pickers'
import { useRefreshNamespaces } from '../../components/jobs/use-job'
import { useStatusPart } from '../../components/use-status'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Help } from '../../ui/Help'
import { SelectField, TextField } from '../../ui/inputs'
import { NumberField } from '../../ui/NumberField'
import { Problem } from '../../ui/Problem'
import { BinInput } from '../../components/fields/BinInput'
import { coversWhole, defaultName, indexSpec, type NewIndex } from './new-index'
import type { IndexesSearch } from './search'
import { t } from '../../language/text'
import { THREADS } from '../../ui/number'

interface Props {
  namespace: string
  /** what the form begins with */
  first?: Pick<IndexesSearch, 'set' | 'bin' | 'path' | 'kind'> | undefined
  open: boolean
  onClose: () => void
}

/** Starts an index build with a chosen number of threads. */
export function CreateIndex({ namespace, first, open, onClose }: Props) {
  const creates = useMay()('createIndex', { namespace })
  return (
    <Dialog title={t('Create an index')} open={open} onClose={onClose}>
      {creates ? (
        <Form namespace={namespace} first={first} onClose={onClose} />
      ) : (
        <RoleNeeded what={t('Creating an index')} operation="createIndex" />
      )}
    </Dialog>
  )
}

function Form({ namespace, first, onClose }: Omit<Props, 'open'>) {
  const refresh = useRefreshNamespaces()
  const cpus = useStatusPart(({ cpus }) => cpus) ?? 1
  const [ns, setNs] = useState(namespace)
  const { data: chosen } = useQuery({ ...namespaceQuery(ns), enabled: ns !== '' })
  const onCluster = chosen?.config.storage.engine === 'cassandra'
  const [set, setSet] = useState(first?.set)
  const [bin, setBin] = useState(first?.bin ?? '')
  const [whole, setWhole] = useState(false)
  const [name, setName] = useState('')
  const [kind, setKind] = useState<NewIndex['kind']>(first?.kind ?? 'document')
  const [path, setPath] = useState(first?.path ?? '')
  const [threads, setThreads] = useState('')
  const wanted = threads === '' ? cpus : Number(threads)
  const index: NewIndex = { name, set, kind, whole, bin, path }
  const body = indexSpec(index, wanted)
  const threadsValid = Number.isInteger(wanted) && wanted >= 1 && wanted <= 128
  const chooseNamespace = (next: string): void => {
    setNs(next)
    setSet(undefined)
  }
  const create = useMutation({
    mutationFn: () => createIndex(ns, body),
    onSuccess: () => {
      refresh()
      onClose()
    },
  })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate()
      }}
    >
      <div className="grid-2">
        <NamespacePicker value={ns} onChange={chooseNamespace} />
        <SetPicker ns={ns} value={set} onChange={setSet} absent="all sets" withoutSet="never" />
      </div>
      <fieldset className="choices">
        <legend>{t('Kind')}</legend>
        <label className="choice">
          <input type="radio" name="kind" checked={kind === 'document'} onChange={() => setKind('document')} />
          <span>
            <strong>{t('document')}</strong>
            <span className="mute">
              {t('Every path and value of the JSON in a bin, or in all bins. For “contains”.')}
            </span>
          </span>
        </label>
        <label className="choice">
          <input type="radio" name="kind" checked={kind === 'range'} onChange={() => setKind('range')} />
          <span>
            <strong>{t('range')}</strong>
            <span className="mute">{t('One value in order; answers =, <, ≥ and “starts with”.')}</span>
          </span>
        </label>
      </fieldset>
      <div className="grid-2">
        {kind === 'document' && (
          <SelectField
            label={t('Covers')}
            value={whole ? 'record' : 'bin'}
            choices={[
              { value: 'bin', label: t('one bin') },
              { value: 'record', label: t('whole record') },
            ]}
            onChange={(next) => setWhole(next === 'record')}
          />
        )}
        {!coversWhole(index) && <BinInput ns={ns} set={set} value={bin} onChange={setBin} />}
        {kind === 'range' && (
          <TextField
            label={t('Path')}
            value={path}
            onChange={setPath}
            mono
            placeholder={t('the whole value')}
            hint={t('Dotted path inside the bin')}
          />
        )}
        <TextField
          label={t('Name')}
          value={name}
          onChange={setName}
          mono
          placeholder={defaultName(index) === '' ? t('same as the bin') : defaultName(index)}
        />
        <NumberField
          label={t('Threads')}
          value={threads}
          onChange={setThreads}
          placeholder={String(cpus)}
          hint={t('1 to 128; this machine has {cpus, plural, one {# core} other {# cores}}', { cpus })}
          {...THREADS}
        />
      </div>
      <Help summary={t('What it costs')}>
        {onCluster
          ? t(
              'The build reads every record of the cluster once while writes continue. The index is rows of the cluster, and every write updates it.',
            )
          : t(
              'Each segment builds its own part, so the build uses all threads while writes continue. The index is in memory, and every write updates it.',
            )}
      </Help>
      <CurlLine
        method="POST"
        path={`/api/v1/namespaces/${encodeURIComponent(ns)}/indexes`}
        body={JSON.stringify(body)}
      />
      <Problem error={create.error} />
      <div className="row end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button
          type="submit"
          look="primary"
          busy={create.isPending}
          disabled={ns === '' || body.bin === '' || !threadsValid}
        >
          {t('Build index')}
        </Button>
      </div>
    </form>
  )
}
