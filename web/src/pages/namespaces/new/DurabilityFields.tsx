import { Card } from '../../../ui/Card'
import type { NamespaceForm } from './form'

const choices = [
  { value: 'commit', words: 'On disk before the write is acknowledged; writers share one sync (group commit).' },
  { value: 'relaxed', words: 'On disk within the flush interval; a crash loses at most that much.' },
] as const

/** What an acknowledged write promises. */
export function DurabilityFields({ form, set }: { form: NamespaceForm; set: (part: Partial<NamespaceForm>) => void }) {
  if (form.engine === 'memory') {
    return (
      <Card title="Durability">
        <p className="mute">
          A memory namespace keeps its settings and indexes' definitions over a restart, not its records. Choose the
          device or the paged engine to keep them.
        </p>
      </Card>
    )
  }
  return (
    <Card title="Durability">
      <fieldset className="choices">
        <legend className="visually-hidden">Durability</legend>
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
            Reads show writes before they are on disk; otherwise a read of a record that is being written waits for it
          </span>
        </label>
      )}
    </Card>
  )
}
