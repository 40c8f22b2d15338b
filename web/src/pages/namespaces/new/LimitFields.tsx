import { Card } from '../../../ui/Card'
import { Help } from '../../../ui/Help'
import { NumberField } from '../../../ui/NumberField'
import type { NamespaceForm, Problems } from './fields'
import { isLocal } from './form'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

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
    <Card title={isLocal(form) ? t('TTL and limits') : t('TTL and size')} aside={t('can change later')}>
      <div className="stack">
        <div className="grid-2">
          <NumberField
            label={t('Default TTL, seconds')}
            value={form.ttlSeconds}
            onChange={(ttlSeconds) => set({ ttlSeconds })}
            error={problems.ttlSeconds}
            placeholder={t('0: records never expire')}
          />
          <NumberField
            label={t('Largest record, KiB')}
            decimal
            value={form.maxRecordKib}
            onChange={(maxRecordKib) => set({ maxRecordKib })}
            error={problems.maxRecordKib}
            placeholder={t('default of the engine')}
          />
          {isLocal(form) && (
            <>
              <NumberField
                label={t('Stop writes at, percent')}
                value={form.stopWritesPercent}
                onChange={(stopWritesPercent) => set({ stopWritesPercent })}
                error={problems.stopWritesPercent}
                placeholder="90"
              />
              <NumberField
                label={t('Evict at, percent')}
                value={form.evictAtPercent}
                onChange={(evictAtPercent) => set({ evictAtPercent })}
                error={problems.evictAtPercent}
                placeholder={t('0: no eviction')}
              />
            </>
          )}
        </div>
        <Help>
          <Say text="The default TTL applies to records written without a TTL. Expired records are invisible at once; a sweeper removes them later. A larger record is refused with <code>record_too_large</code>." />
          {isLocal(form) && (
            <>
              {' '}
              <Say text="On the device engine, a record must also fit into a write block. If the namespace has a capacity or a memory limit, it refuses writes that add data with <code>stop_writes</code> at the first percentage. At the second, it removes records early, those with the shortest TTL first." />
            </>
          )}
        </Help>
      </div>
    </Card>
  )
}
