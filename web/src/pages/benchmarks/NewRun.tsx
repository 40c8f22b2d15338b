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

interface Props {
  open: boolean
  onClose: () => void
  onStarted: (id: string) => void
}

/** Starts a run from a preset; every field can be changed. */
export function NewRun(props: Props) {
  const starts = useMay()('startWorkload')
  return (
    <Dialog title="Run a benchmark" open={props.open} onClose={props.onClose} wide>
      {starts ? <Form {...props} /> : <RoleNeeded what="Starting a run" operation="startWorkload" />}
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
    <TextField
      label={label}
      inputMode="numeric"
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
      <Presets label="Presets" presets={presets} onPick={pick} />
      <div className="row">
        <span className="mute small">YCSB</span>
        <Presets label="YCSB workloads" presets={ycsbPresets} onPick={pick} />
      </div>
      {form.ycsb !== '' && (
        <p className="mute small">
          <strong>YCSB {form.ycsb}</strong>: {ycsbWords(form.ycsb)}.
          {form.ycsb !== 'LOAD' && ' They need the records of a load with the same keys.'}
        </p>
      )}
      <div className="grid-2">
        <NamespacePicker value={namespace} onChange={setNamed} />
        <TextField
          label="Set"
          mono
          value={form.set}
          onChange={(set) => change({ set })}
          hint="its records are overwritten"
        />
        <TextField
          label="Name"
          value={form.name}
          onChange={(name) => change({ name })}
          placeholder="what it does"
          hint="to find it again"
        />
        <TextField
          label="Record"
          mono
          value={form.object}
          onChange={(object) => change({ object })}
          error={faults.object}
          hint="I, S:bytes, B:bytes, with commas"
        />
        {!form.insert && form.ycsb === '' && number('Reads, %', 'reads')}
        {number('Keys', 'keys')}
        {number('Threads', 'threads')}
        {number('Window', 'window')}
        {number('Operations per second', 'targetTps')}
        {number('Seconds', 'durationSeconds')}
      </div>
      {!isLoad(form) && (
        <label className="check">
          <input type="checkbox" checked={form.fill} onChange={(event) => change({ fill: event.target.checked })} />
          Write every key once before the run
        </label>
      )}
      <Help summary="What it measures">
        The server itself generates the load. With a rate, each operation has a scheduled start, and its latency counts
        from then. So a stall adds to the latency of every operation that waits behind it.
      </Help>
      <CurlLine method="POST" path="/api/v1/workloads" body={JSON.stringify(spec)} />
      <Problem error={start.error} />
      <div className="row end">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          busy={start.isPending}
          disabled={namespace === '' || Object.keys(faults).length > 0}
        >
          Run
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
        <Button key={name} small title={says} onClick={() => onPick(form)}>
          {name}
        </Button>
      ))}
    </div>
  )
}

const numbers = {
  reads: { hint: 'the others are writes' },
  keys: {},
  threads: { hint: '1 to 1,024' },
  window: { hint: 'reads in flight per thread' },
  targetTps: { placeholder: 'unlimited', hint: 'empty: a closed loop' },
  durationSeconds: {},
}
