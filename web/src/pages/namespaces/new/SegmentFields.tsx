import { OwnershipFields } from '../../../components/fields/OwnershipFields'
import { Card } from '../../../ui/Card'
import { Help } from '../../../ui/Help'
import { plainChoices, SelectField } from '../../../ui/inputs'
import { ContainerFields } from './ContainerFields'
import type { NamespaceForm, Problems } from './fields'
import { t } from '../../../language/text'

export const SEGMENTS = ['16', '64', '256', '1024', '4096'] as const

interface Props {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
  problems: Problems
}

/** Number of segments, container and ownership. */
export function SegmentFields({ form, set, problems }: Props) {
  const { nodes, owners, self } = form
  return (
    <Card title={t('Segments and owners')}>
      <div className="stack">
        <SelectField
          label={t('Segments')}
          value={form.segments}
          choices={plainChoices(SEGMENTS)}
          onChange={(segments) => set({ segments })}
          hint={t('Only a migration changes it')}
        />
        {form.engine === 'memory' && <ContainerFields form={form} set={set} problems={problems} />}
        <label className="check">
          <input type="checkbox" checked={form.owned} onChange={(event) => set({ owned: event.target.checked })} />
          <span>{t('Ownership: several nodes share the segments')}</span>
        </label>
        {form.owned && (
          <OwnershipFields
            texts={{ nodes, owners, self }}
            problems={{
              ...(problems.nodes !== undefined && { nodes: problems.nodes }),
              ...(problems.owners !== undefined && { owners: problems.owners }),
              ...(problems.self !== undefined && { self: problems.self }),
            }}
            onChange={set}
          />
        )}
        <Help>
          {t(
            'The digest of a key chooses the segment of its record. Each segment has its own lock, counters and part of every index, so scans, imports and index builds can use one thread per segment. 256 segments suit up to several hundred million records. Fewer segments save a little memory in tiny namespaces. With ownership, sizes, counts, scans, queries, streams and exports cover the segments this node is the primary owner of. Any node can read or write any record. Ownership can change later.',
          )}
        </Help>
      </div>
    </Card>
  )
}
