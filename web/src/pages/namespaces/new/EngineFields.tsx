import { TextField } from '../../../ui/inputs'
import { DeviceFields } from './DeviceFields'
import { PagedFields } from './PagedFields'
import type { NamespaceForm, Problems } from './fields'
import { withEngine } from './form'

interface Props {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
  problems: Problems
}

/** Storage engine, and what it is made of. */
export function EngineFields({ form, set, problems }: Props) {
  return (
    <>
      <fieldset className="choices">
        <legend>Storage engine</legend>
        <label className="choice">
          <input
            type="radio"
            name="engine"
            checked={form.engine === 'memory'}
            onChange={() => set(withEngine('memory'))}
          />
          <span>
            <strong>memory</strong>
            <span className="mute">Records in DRAM. The fastest engine; records are lost when the server stops.</span>
          </span>
        </label>
        <label className="choice">
          <input
            type="radio"
            name="engine"
            checked={form.engine === 'device'}
            onChange={() => set(withEngine('device'))}
          />
          <span>
            <strong>device</strong>
            <span className="mute">
              Records on SSD, index in DRAM. Survives restarts. A read costs at most one device read.
            </span>
          </span>
        </label>
        <label className="choice">
          <input
            type="radio"
            name="engine"
            checked={form.engine === 'paged'}
            onChange={() => set(withEngine('paged'))}
          />
          <span>
            <strong>paged</strong>
            <span className="mute">
              Records and index on SSD in pages, with a cache and a write-ahead log. Use it if records and index are
              larger than memory.
            </span>
          </span>
        </label>
      </fieldset>
      {form.engine !== 'memory' && (
        <div className="grid-2">
          <TextField
            label="Capacity, GiB"
            inputMode="decimal"
            value={form.capacityGib}
            onChange={(capacityGib) => set({ capacityGib })}
            error={problems.capacityGib}
            placeholder="the size of the disk"
            hint="Maximum size on disk"
          />
          <TextField
            label="Flush interval, ms"
            inputMode="numeric"
            value={form.flushIntervalMs}
            onChange={(flushIntervalMs) => set({ flushIntervalMs })}
            error={problems.flushIntervalMs}
            placeholder="1000"
            hint="Longest wait of a relaxed write for the disk"
          />
        </div>
      )}
      {form.engine === 'device' && <DeviceFields form={form} set={set} problems={problems} />}
      {form.engine === 'paged' && <PagedFields form={form} set={set} problems={problems} />}
      {form.engine === 'memory' && (
        <TextField
          label="Maximum memory, GiB"
          inputMode="decimal"
          value={form.maxMemoryGib}
          onChange={(maxMemoryGib) => set({ maxMemoryGib })}
          error={problems.maxMemoryGib}
          placeholder="a share of the memory"
          hint="For records, without their index. Empty: a share with other such namespaces"
        />
      )}
    </>
  )
}
