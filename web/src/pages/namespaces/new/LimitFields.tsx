import { Card } from '../../../ui/Card'
import { Help } from '../../../ui/Help'
import { TextField } from '../../../ui/inputs'
import type { NamespaceForm, Problems } from './fields'
import { isLocal } from './form'

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
    <Card title={isLocal(form) ? 'TTL and limits' : 'TTL and size'} aside="can change later">
      <div className="stack">
        <div className="grid-2">
          <TextField
            label="Default TTL, seconds"
            inputMode="numeric"
            value={form.ttlSeconds}
            onChange={(ttlSeconds) => set({ ttlSeconds })}
            error={problems.ttlSeconds}
            placeholder="0: records never expire"
          />
          <TextField
            label="Largest record, KiB"
            inputMode="decimal"
            value={form.maxRecordKib}
            onChange={(maxRecordKib) => set({ maxRecordKib })}
            error={problems.maxRecordKib}
            placeholder="default of the engine"
          />
          {isLocal(form) && (
            <>
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
                placeholder="0: no eviction"
              />
            </>
          )}
        </div>
        <Help>
          The default TTL applies to records written without a TTL. Expired records are invisible at once; a sweeper
          removes them later. A larger record is refused with <code>record_too_large</code>.
          {isLocal(form) && (
            <>
              {' '}
              On the device engine, a record must also fit into a write block. If the namespace has a capacity or a
              memory limit, it refuses writes that add data with <code>stop_writes</code> at the first percentage. At
              the second, it removes records early, those with the shortest TTL first.
            </>
          )}
        </Help>
      </div>
    </Card>
  )
}
