import type { BinProfile } from '../../../api/types'
import { percent } from './profile-words'
import { typeWords } from '../../../components/api-words'
import { Tip } from '../../../ui/Tip'

type Types = BinProfile['types']

/** Series colours by type, so that a type has the same colour in all rows. */
const colours: Record<Types[number]['type'], string> = {
  string: 'var(--series-1)',
  integer: 'var(--series-2)',
  double: 'var(--series-3)',
  boolean: 'var(--series-4)',
  bytes: 'var(--series-4)',
  list: 'var(--series-3)',
  map: 'var(--series-1)',
  null: 'var(--series-5)',
}

/** Types as words: one alone, or each with its share. */
function typesText(types: Types): string {
  const [only] = types
  if (only !== undefined && types.length === 1) return typeWords(only.type)
  return types.map(({ type, share }) => `${typeWords(type)} ${percent(share)}`).join(', ')
}

/** The types of a bin as a bar, with the same in words. */
export function TypeBar({ types }: { types: Types }) {
  const text = typesText(types)
  return (
    <div className="type-bar">
      <div className="bars slim" aria-hidden="true">
        {types.map(({ type, share }) => (
          <i key={type} style={{ width: `${share * 100}%`, background: colours[type] }} />
        ))}
      </div>
      <Tip cut text={text}>
        <span>{text}</span>
      </Tip>
    </div>
  )
}
