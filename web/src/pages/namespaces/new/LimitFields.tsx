import { Card } from '../../../ui/Card'
import { Help } from '../../../ui/Help'
import { TextField } from '../../../ui/inputs'
import type { NamespaceForm, Problems } from './form'

/** Time to live and limits; both can change later. */
export function LimitFields({
  form,
  set,
  problems,
}: {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
  problems: Problems
}) {
  return (
    <Card title="TTL and limits" aside="can change later">
      <div className="stack">
        <div className="grid-2">
          <TextField
            label="Default TTL, seconds"
            inputMode="numeric"
            value={form.ttlSeconds}
            onChange={(ttlSeconds) => set({ ttlSeconds })}
            error={problems.ttlSeconds}
            placeholder="0: never expire"
          />
          <TextField
            label="Largest record, KiB"
            inputMode="decimal"
            value={form.maxRecordKib}
            onChange={(maxRecordKib) => set({ maxRecordKib })}
            error={problems.maxRecordKib}
            placeholder="engine's default"
          />
          <TextField
            label="Stop writes at, percent"
            inputMode="numeric"
            value={form.stopWritesPercent}
            onChange={(stopWritesPercent) => set({ stopWritesPercent })}
            error={problems.stopWritesPercent}
            placeholder="90"
          />
          <TextField
            label="Evict at, percent"
            inputMode="numeric"
            value={form.evictAtPercent}
            onChange={(evictAtPercent) => set({ evictAtPercent })}
            error={problems.evictAtPercent}
            placeholder="0: never evict"
          />
        </div>
        <Help>
          The default TTL applies to records written without one of their own; expired records are invisible at once and
          removed by a sweeper. A write above the largest record is refused with <code>record_too_large</code>; on the
          device engine a record never exceeds a write block. With a capacity, or a limit on memory, writes that add are
          refused (<code>stop_writes</code>) from the first percentage on, and from the second on records that will
          expire are removed early, the soonest first.
        </Help>
      </div>
    </Card>
  )
}
