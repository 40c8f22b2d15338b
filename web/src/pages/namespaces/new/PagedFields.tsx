import { bytes, count, plural } from '../../../format'
import { SelectField, TextField } from '../../../ui/inputs'
import type { NamespaceForm, Problems } from './fields'
import { defaults, meaningOf } from './paged'

const SIZES = (['4', '8', '16', '32', '64'] as const).map((value) => ({ value, label: `${value} KiB` }))

interface Props {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
  problems: Problems
}

/** Page size with its consequences, cache, log and checkpoints. */
export function PagedFields({ form, set, problems }: Props) {
  const { longestKey, ownPages, cachedPages, records } = meaningOf(form)
  return (
    <>
      <div className="grid-2">
        <SelectField
          label="Page size"
          value={form.pageKib}
          choices={SIZES}
          onChange={(pageKib) => set({ pageKib })}
          hint="Only a migration changes it"
        />
        <TextField
          label="Cache, MiB"
          inputMode="numeric"
          value={form.cacheMib}
          onChange={(cacheMib) => set({ cacheMib })}
          error={problems.cacheMib}
          placeholder={defaults.cacheMib}
          hint="Memory for pages of records and indexes"
        />
        <TextField
          label="Log, MiB"
          inputMode="numeric"
          value={form.logMib}
          onChange={(logMib) => set({ logMib })}
          error={problems.logMib}
          placeholder={defaults.logMib}
          hint="A checkpoint begins when half of it is in use"
        />
        <TextField
          label="Checkpoint after, seconds"
          inputMode="numeric"
          value={form.checkpointSeconds}
          onChange={(checkpointSeconds) => set({ checkpointSeconds })}
          error={problems.checkpointSeconds}
          placeholder={defaults.checkpointSeconds}
          hint="Longest time between checkpoints under writes"
        />
      </div>
      <div className="note">
        <strong>What pages of {form.pageKib} KiB mean</strong>
        <dl className="facts">
          <dt>a miss reads</dt>
          <dd>{form.pageKib} KiB, whatever the record</dd>
          <dt>records of 1 KiB in a page</dt>
          <dd>{count(records)}</dd>
          <dt>pages in the cache</dt>
          <dd>{count(cachedPages)}</dd>
          <dt>longest key</dt>
          <dd>{plural(longestKey, 'byte')}</dd>
          <dt>records in pages of their own</dt>
          <dd>from about {bytes(ownPages)} on</dd>
        </dl>
        <p className="mute small">
          Use small pages for random reads of small records, and large pages for scans, large records and long keys.
        </p>
      </div>
      <label className="check">
        <input type="checkbox" checked={form.cachedIo} onChange={(event) => set({ cachedIo: event.target.checked })} />
        <span>Use the system&apos;s page cache</span>
      </label>
    </>
  )
}
