import type { KnownClusters } from '../../../api/types'
import { Card } from '../../../ui/Card'
import { TextField } from '../../../ui/inputs'
import { EngineFields } from './EngineFields'
import type { NamespaceForm, Problems } from './fields'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

interface Props {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
  problems: Problems
  clusters: KnownClusters | undefined
}

/** Name and storage engine. */
export function StorageFields({ form, set, problems, clusters }: Props) {
  return (
    <Card title={t('Name and storage')}>
      <div className="stack">
        <TextField
          label={t('Name')}
          value={form.name}
          onChange={(name) => set({ name })}
          error={problems.name}
          placeholder={t('events')}
          mono
          autoFocus
        />
        <EngineFields form={form} set={set} problems={problems} clusters={clusters} />
        <label className="check">
          <input
            type="checkbox"
            checked={form.singleBin}
            onChange={(event) => set({ singleBin: event.target.checked })}
          />
          <span>
            <Say text="Single bin: each record has one bin, <code>value</code>, stored without its name" />
          </span>
        </label>
      </div>
    </Card>
  )
}
