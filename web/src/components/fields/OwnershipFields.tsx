import { NumberField } from '../../ui/NumberField'
import type { OwnershipProblems, OwnershipTexts } from './ownership'
import { t } from '../../language/text'

interface Props {
  texts: OwnershipTexts
  problems: OwnershipProblems
  onChange: (texts: OwnershipTexts) => void
}

/** How many nodes share the segments, how many own each, and which of them this is. */
export function OwnershipFields({ texts, problems, onChange }: Props) {
  return (
    <div className="grid-3">
      <NumberField
        label={t('Nodes')}
        value={texts.nodes}
        onChange={(nodes) => onChange({ ...texts, nodes })}
        error={problems.nodes}
        hint={t('Nodes that share the segments')}
      />
      <NumberField
        label={t('Owners')}
        value={texts.owners}
        onChange={(owners) => onChange({ ...texts, owners })}
        error={problems.owners}
        hint={t('Owners per segment; the first is the primary owner')}
      />
      <NumberField
        label={t('This node')}
        value={texts.self}
        onChange={(self) => onChange({ ...texts, self })}
        error={problems.self}
        hint={t('Number of this node, from 0')}
      />
    </div>
  )
}
