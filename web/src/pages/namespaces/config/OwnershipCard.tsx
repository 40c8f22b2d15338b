import type { Ownership } from '../../../api/types'
import { OwnershipFields } from '../../../components/fields/OwnershipFields'
import { ownershipProblems, textsOf, type OwnershipTexts } from '../../../components/fields/ownership'
import { Card } from '../../../ui/Card'
import { t } from '../../../language/text'

const usual: OwnershipTexts = { nodes: '4', owners: '2', self: '0' }

interface Props {
  now: Ownership | undefined
  /** undefined: not edited; null: none */
  draft: OwnershipTexts | null | undefined
  refused: Readonly<Record<string, string>>
  onChange: (draft: OwnershipTexts | null) => void
}

/** Edits which segments this node owns. */
export function OwnershipCard({ now, draft, refused, onChange }: Props) {
  const texts = draft === undefined ? (now === undefined ? null : textsOf(now)) : draft
  const problems = texts === null ? {} : ownershipProblems(texts)
  const told = Object.fromEntries(
    Object.entries(refused).flatMap(([field, text]) => {
      const [, part] = /^ownership\.(nodes|owners|self)$/.exec(field) ?? []
      return part === undefined ? [] : [[part, text]]
    }),
  )
  return (
    <Card title={t('Ownership')} aside={t('which segments this node owns')}>
      <div className="stack">
        <label className="check">
          <input
            type="checkbox"
            checked={texts !== null}
            onChange={(event) => onChange(event.target.checked ? (now === undefined ? usual : textsOf(now)) : null)}
          />
          <span>{t('Several nodes share the segments')}</span>
        </label>
        {texts !== null && <OwnershipFields texts={texts} problems={{ ...told, ...problems }} onChange={onChange} />}
        <p className="mute small">
          {t(
            'Sizes, counts, scans, queries, streams and exports cover the segments this node is the primary owner of. No records move: any node can read or write any record.',
          )}
        </p>
      </div>
    </Card>
  )
}
