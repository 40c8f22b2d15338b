import { bytes, count } from '../../../format'
import { SelectField } from '../../../ui/inputs'
import { NumberField } from '../../../ui/NumberField'
import type { NamespaceForm, Problems } from './fields'
import { defaults, meaningOf } from './paged'
import { t } from '../../../language/text'

const SIZES = (['4', '8', '16', '32', '64'] as const).map((value) => ({ value, label: t('{value} KiB', { value }) }))

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
          label={t('Page size')}
          value={form.pageKib}
          choices={SIZES}
          onChange={(pageKib) => set({ pageKib })}
          hint={t('Only a migration changes it')}
        />
        <NumberField
          label={t('Cache, MiB')}
          value={form.cacheMib}
          onChange={(cacheMib) => set({ cacheMib })}
          error={problems.cacheMib}
          placeholder={defaults.cacheMib}
          hint={t('Memory for pages of records and indexes')}
        />
        <NumberField
          label={t('Log, MiB')}
          value={form.logMib}
          onChange={(logMib) => set({ logMib })}
          error={problems.logMib}
          placeholder={defaults.logMib}
          hint={t('A checkpoint begins when half of it is in use')}
        />
        <NumberField
          label={t('Checkpoint after, seconds')}
          value={form.checkpointSeconds}
          onChange={(checkpointSeconds) => set({ checkpointSeconds })}
          error={problems.checkpointSeconds}
          placeholder={defaults.checkpointSeconds}
          hint={t('Longest time between checkpoints under writes')}
        />
      </div>
      <div className="note">
        <strong>{t('What pages of {pageKib} KiB mean', { pageKib: form.pageKib })}</strong>
        <dl className="facts">
          <dt>{t('a miss reads')}</dt>
          <dd>{t('{pageKib} KiB, whatever the record', { pageKib: form.pageKib })}</dd>
          <dt>{t('records of 1 KiB in a page')}</dt>
          <dd>{count(records)}</dd>
          <dt>{t('pages in the cache')}</dt>
          <dd>{count(cachedPages)}</dd>
          <dt>{t('longest key')}</dt>
          <dd>{t('{longestKey, plural, one {# byte} other {# bytes}}', { longestKey })}</dd>
          <dt>{t('records in pages of their own')}</dt>
          <dd>{t('from about {ownPages} on', { ownPages: bytes(ownPages) })}</dd>
        </dl>
        <p className="mute small">
          {t(
            'Use small pages for random reads of small records, and large pages for scans, large records and long keys.',
          )}
        </p>
      </div>
      <label className="check">
        <input type="checkbox" checked={form.cachedIo} onChange={(event) => set({ cachedIo: event.target.checked })} />
        <span>{t("Use the system's page cache")}</span>
      </label>
    </>
  )
}
