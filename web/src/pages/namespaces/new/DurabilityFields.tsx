import { Card } from '../../../ui/Card'
import type { NamespaceForm } from './fields'
import { isLocal } from './form'
import { t } from '../../../language/text'

const choices = [
  { value: 'commit', words: t('On disk before the write is acknowledged. Writers share one sync (group commit).') },
  {
    value: 'relaxed',
    words: t('On disk within the flush interval. A crash loses at most the writes of one interval.'),
  },
] as const

/** Durability of acknowledged writes. */
export function DurabilityFields({ form, set }: { form: NamespaceForm; set: (part: Partial<NamespaceForm>) => void }) {
  if (form.engine === 'memory') {
    return (
      <Card title={t('Durability')}>
        <p className="mute">
          {t(
            'After a restart, a memory namespace has its settings and index definitions, but no records. To keep records, choose the device or the paged engine.',
          )}
        </p>
      </Card>
    )
  }
  if (!isLocal(form)) {
    return (
      <Card title={t('Durability')}>
        <p className="mute">
          {t(
            'An acknowledged write is on as many nodes as you chose above. When each node syncs its commit log is a setting of Cassandra.',
          )}
        </p>
      </Card>
    )
  }
  return (
    <Card title={t('Durability')}>
      <fieldset className="choices">
        <legend className="visually-hidden">{t('Durability')}</legend>
        {choices.map(({ value, words }) => (
          <label key={value} className="choice">
            <input
              type="radio"
              name="durability"
              checked={form.durability === value}
              onChange={() => set({ durability: value })}
            />
            <span>
              <strong>{value}</strong>
              <span className="mute">{words}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {form.durability === 'commit' && (
        <label className="check">
          <input
            type="checkbox"
            checked={form.reads === 'latest'}
            onChange={(event) => set({ reads: event.target.checked ? 'latest' : 'committed' })}
          />
          <span>
            {t(
              'Reads show the newest version, even before it is on disk. Off: a read of a record that is being written waits for its flush',
            )}
          </span>
        </label>
      )}
    </Card>
  )
}
