import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { startWorkload } from '../../api/actions'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { CurlLine } from '../../components/CurlLine'
import { NamespacePicker } from '../../components/fields/pickers'
import { useDefaultNamespace } from '../../components/namespaces/use-default-namespace'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Help } from '../../ui/Help'
import { TextField } from '../../ui/inputs'
import { NumberField } from '../../ui/NumberField'
import { Problem } from '../../ui/Problem'
import {
  emptyForm,
  formFaults,
  isLoad,
  presets,
  specOf,
  ycsbPresets,
  ycsbWords,
  type Preset,
  type RunForm,
} from './run-form'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

interface Props {
  open: boolean
  onClose: () => void
  onStarted: (id: string) => void
}

/** Starts a run from a preset; every field can be changed. */
export function NewRun(props: Props) {
  const starts = useMay()('startWorkload')
  return (
    <Dialog title={t('Run a benchmark')} open={props.open} onClose={props.onClose} wide>
      {starts ? <Form {...props} /> : <RoleNeeded what={t('Starting a run')} operation="startWorkload" />}
    </Dialog>
  )
}

function Form({ onClose, onStarted }: Props) {
  const queries = useQueryClient()
  const [named, setNamed] = useState<string>()
  const namespace = useDefaultNamespace(named) ?? ''
  const [form, setForm] = useState(emptyForm)
  const faults = formFaults(form)
  const spec = specOf(namespace, form)
  const change = (part: Partial<RunForm>): void => setForm({ ...form, ...part })
  const pick = (part: Partial<RunForm>): void => setForm({ ...emptyForm, name: form.name, ...part })
  const start = useMutation({
    mutationFn: () => startWorkload(spec),
    onSuccess: (run) => {
      void queries.invalidateQueries({ queryKey: ['workloads'] })
      onStarted(run.id)
    },
  })
  const number = (label: string, field: keyof RunForm & keyof typeof numbers) => (
    <NumberField
      label={label}
      value={form[field]}
      onChange={(value) => change({ [field]: value })}
      error={faults[field]}
      {...numbers[field]}
    />
  )
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        start.mutate()
      }}
    >
      <Presets label={t('Presets')} presets={presets} onPick={pick} />
      <div className="row">
        <span className="mute small">{t('YCSB')}</span>
        <Presets label={t('YCSB workloads')} presets={ycsbPresets} onPick={pick} />
      </div>
      {form.ycsb !== '' && (
        <p className="mute small">
          <strong>{t('YCSB {ycsb}', { ycsb: form.ycsb })}</strong>
          {': '}
          {ycsbWords(form.ycsb)}. {form.ycsb !== 'LOAD' && t('They need the records of a load with the same keys.')}
        </p>
      )}
      <div className="grid-2">
        <NamespacePicker value={namespace} onChange={setNamed} />
        <TextField
          label={t('Set')}
          mono
          value={form.set}
          onChange={(set) => change({ set })}
          hint={t('its records are overwritten')}
        />
        <TextField
          label={t('Name')}
          value={form.name}
          onChange={(name) => change({ name })}
          placeholder={t('what it does')}
          hint={t('to find it again')}
        />
        <TextField
          label={t('Record')}
          mono
          value={form.object}
          onChange={(object) => change({ object })}
          error={faults.object}
          hint={t('I, S:bytes, B:bytes, with commas')}
        />
        {!form.insert && form.ycsb === '' && number('Reads, %', 'reads')}
        {number(t('Keys'), 'keys')}
        {number(t('Threads'), 'threads')}
        {number(t('Window'), 'window')}
        {number(t('Operations per second'), 'targetTps')}
        {number(t('Seconds'), 'durationSeconds')}
      </div>
      {!isLoad(form) && (
        <label className="check">
          <input type="checkbox" checked={form.fill} onChange={(event) => change({ fill: event.target.checked })} />
          {t('Write every key once before the run')}
        </label>
      )}
      <Help summary={t('What it measures')}>
        {t(
          'The server itself generates the load. With a rate, each operation has a scheduled start, and its latency counts from then. So a stall adds to the latency of every operation that waits behind it.',
        )}
      </Help>
      <CurlLine method="POST" path="/api/v1/workloads" body={JSON.stringify(spec)} />
      <Problem error={start.error} />
      <div className="row end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button
          type="submit"
          look="primary"
          busy={start.isPending}
          disabled={namespace === '' || Object.keys(faults).length > 0}
        >
          {t('Run')}
        </Button>
      </div>
    </form>
  )
}

interface PresetsProps {
  label: string
  presets: readonly Preset[]
  onPick: (part: Partial<RunForm>) => void
}

function Presets({ label, presets: all, onPick }: PresetsProps) {
  return (
    <div className="row" role="group" aria-label={label}>
      {all.map(({ label: name, says, form }) => (
        <Tip key={name} text={says}>
          <Button small onClick={() => onPick(form)}>
            {name}
          </Button>
        </Tip>
      ))}
    </div>
  )
}

const numbers = {
  reads: { hint: t('the others are writes') },
  keys: {},
  threads: { hint: t('1 to 1,024') },
  window: { hint: t('reads in flight per thread') },
  targetTps: { placeholder: t('unlimited'), hint: t('empty: a closed loop') },
  durationSeconds: {},
}
