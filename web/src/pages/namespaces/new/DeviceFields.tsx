import { Help } from '../../../ui/Help'
import { AreaField, SelectField } from '../../../ui/inputs'
import { NumberField } from '../../../ui/NumberField'
import type { NamespaceForm, Problems } from './fields'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

const BLOCKS = [
  { value: 'default', label: t('128 KiB') },
  ...['16', '32', '64', '256', '512'].map((kib) => ({ value: kib, label: t('{kib} KiB', { kib }) })),
  ...['1', '2', '4', '8'].map((mib) => ({ value: String(Number(mib) * 1024), label: t('{mib} MiB', { mib }) })),
]

interface Props {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
  problems: Problems
}

/** Advanced settings: devices, write blocks and defragmentation. */
export function DeviceFields({ form, set, problems }: Props) {
  return (
    <Help summary={t('Advanced: devices, write blocks, defragmentation')}>
      <div className="stack">
        <AreaField
          label={t('Devices')}
          value={form.devices}
          onChange={(devices) => set({ devices })}
          error={problems.devices}
          rows={3}
          placeholder={'/mnt/nvme0/events.tsr 100\n/dev/nvme1n1'}
          hint={t('One per line: a path and, optionally, a maximum in GiB. Empty: one file in the data directory')}
        />
        <p className="mute">
          <Say text="Records are spread over all devices. The server creates a file, which must not exist yet. A block device must be blank. <code>TESSERA_DEVICES</code> must allow each path." />
        </p>
        <div className="grid-2">
          <SelectField
            label={t('Write block')}
            value={form.writeBlockKib}
            choices={BLOCKS}
            onChange={(writeBlockKib) => set({ writeBlockKib })}
            hint={t("Limits the size of a record; fixed for the namespace's life")}
          />
          <NumberField
            label={t('Post-write cache, MiB')}
            value={form.postWriteCacheMib}
            onChange={(postWriteCacheMib) => set({ postWriteCacheMib })}
            error={problems.postWriteCacheMib}
            placeholder="8"
          />
          <NumberField
            label={t('Defragment blocks below, %')}
            value={form.defragBelowPercent}
            onChange={(defragBelowPercent) => set({ defragBelowPercent })}
            error={problems.defragBelowPercent}
            placeholder="50"
            hint={t('Share of a block that is live')}
          />
          <NumberField
            label={t('Defragmentation throttle, MiB/s')}
            value={form.defragMibPerSecond}
            onChange={(defragMibPerSecond) => set({ defragMibPerSecond })}
            error={problems.defragMibPerSecond}
            placeholder="64"
            hint={t('0: no throttle')}
          />
        </div>
        <label className="check">
          <input
            type="checkbox"
            checked={form.cachedIo}
            onChange={(event) => set({ cachedIo: event.target.checked })}
          />
          <span>{t("Use the system's page cache")}</span>
        </label>
      </div>
    </Help>
  )
}
