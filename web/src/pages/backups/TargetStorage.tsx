import { plainChoices, SelectField } from '../../ui/inputs'
import { ContainerFields } from '../namespaces/new/ContainerFields'
import { EngineFields } from '../namespaces/new/EngineFields'
import type { NamespaceForm, Problems } from '../namespaces/new/fields'
import { hasDisks } from '../namespaces/new/form'
import { SEGMENTS } from '../namespaces/new/SegmentFields'
import { t } from '../../language/text'

const DURABILITIES = [
  { value: 'commit', label: t('commit: on disk before the answer') },
  { value: 'relaxed', label: t('relaxed: on disk within the flush interval') },
] as const

interface Props {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
  problems: Problems
}

/** How a restored namespace is stored, if not as before. */
export function TargetStorage({ form, set, problems }: Props) {
  const segments = [...new Set([...SEGMENTS, form.segments])].toSorted((a, b) => Number(a) - Number(b))
  return (
    <>
      <EngineFields form={form} set={set} problems={problems} />
      {form.engine === 'memory' && <ContainerFields form={form} set={set} problems={problems} />}
      <div className="grid-2">
        <SelectField
          label={t('Segments')}
          value={form.segments}
          choices={plainChoices(segments)}
          onChange={(value) => set({ segments: value })}
        />
        {hasDisks(form) && (
          <SelectField
            label={t('Durability')}
            value={form.durability}
            choices={DURABILITIES}
            onChange={(durability) => set({ durability })}
          />
        )}
      </div>
    </>
  )
}
