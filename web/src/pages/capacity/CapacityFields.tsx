import { shortCount } from '../../format'
import { Card } from '../../ui/Card'
import { Segmented } from '../../ui/Segmented'
import { plainChoices, SelectField, TextField } from '../../ui/inputs'
import type { CapacityForm, Problems } from './capacity-form'

export interface FieldsProps {
  form: CapacityForm
  set: (part: Partial<CapacityForm>) => void
  problems: Problems
}

const keyTypes = plainChoices(['integer', 'string', 'bytes'] as const)
const segments = plainChoices(['16', '64', '256', '1024', '4096'])
const blocks = plainChoices(['16', '32', '64', '128', '256', '512', '1024', '2048', '4096', '8192'])

/** Engine, records, copies and segments. */
export function PlaceFields({ form, set, problems }: FieldsProps) {
  return (
    <Card
      title="Namespace"
      end={
        <Segmented
          label="Engine"
          value={form.engine}
          choices={[
            { value: 'device', label: 'device' },
            { value: 'memory', label: 'memory' },
          ]}
          onChange={(engine) => set({ engine })}
        />
      }
    >
      <div className="grid-2 pair">
        <TextField
          label="Records"
          inputMode="numeric"
          mono
          value={form.records}
          onChange={(records) => set({ records })}
          error={problems.records}
          hint={problems.records === undefined ? shortCount(Number(form.records)) : undefined}
        />
        <TextField
          label="Copies"
          inputMode="numeric"
          mono
          value={form.replication}
          onChange={(replication) => set({ replication })}
          error={problems.replication}
          hint="the replication factor"
        />
        <SelectField
          label="Segments"
          value={form.segments}
          choices={segments}
          onChange={(next) => set({ segments: next })}
        />
        <TextField
          label="Sets"
          inputMode="numeric"
          mono
          value={form.sets}
          onChange={(sets) => set({ sets })}
          error={problems.sets}
          hint="0: records without a set"
        />
        <TextField
          label="Set name, bytes"
          inputMode="numeric"
          mono
          value={form.setNameBytes}
          onChange={(setNameBytes) => set({ setNameBytes })}
          error={problems.setNameBytes}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={form.setIndexes}
            onChange={(event) => set({ setIndexes: event.target.checked })}
          />
          <span>Set indexes</span>
        </label>
      </div>
    </Card>
  )
}

/** The key. */
export function ShapeFields({ form, set, problems }: FieldsProps) {
  return (
    <Card title="Key of a record">
      <div className="grid-2 pair">
        <SelectField
          label="Key type"
          value={form.keyType}
          choices={keyTypes}
          onChange={(keyType) => set({ keyType })}
        />
        {form.keyType !== 'integer' && (
          <TextField
            label="Key length, bytes"
            inputMode="numeric"
            mono
            value={form.keyBytes}
            onChange={(keyBytes) => set({ keyBytes })}
            error={problems.keyBytes}
          />
        )}
      </div>
    </Card>
  )
}

/** Load on the device. */
export function TrafficFields({ form, set, problems }: FieldsProps) {
  return (
    <Card title="Traffic and flash">
      <div className="grid-2 pair">
        <TextField
          label="Reads per second"
          inputMode="numeric"
          mono
          value={form.readsPerSecond}
          onChange={(readsPerSecond) => set({ readsPerSecond })}
          error={problems.readsPerSecond}
        />
        <TextField
          label="Writes per second"
          inputMode="numeric"
          mono
          value={form.writesPerSecond}
          onChange={(writesPerSecond) => set({ writesPerSecond })}
          error={problems.writesPerSecond}
        />
        <TextField
          label="Flash in use, percent"
          inputMode="numeric"
          mono
          value={form.utilisationPercent}
          onChange={(utilisationPercent) => set({ utilisationPercent })}
          error={problems.utilisationPercent}
          hint="share that live records may fill"
        />
        <SelectField
          label="Write block, KiB"
          value={form.writeBlockKib}
          choices={blocks}
          onChange={(writeBlockKib) => set({ writeBlockKib })}
        />
      </div>
    </Card>
  )
}
