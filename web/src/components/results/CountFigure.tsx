import { figureWords } from '../../records/figure-words'
import { type Exact, isExactObject, LosslessNumber, parseExact } from '../../records/json'
import { t } from '../../language/text'

/** The result of a count in large type; nothing until it arrives. */
export function CountFigure({ row }: { row: string | undefined }) {
  const answer: Exact | undefined = row === undefined ? undefined : parseExact(row)
  const value = isExactObject(answer) ? answer['count'] : undefined
  if (!(value instanceof LosslessNumber)) return null
  return (
    <p className="count-figure">
      <strong>{figureWords(value.value)}</strong> <span className="mute">{t('counted')}</span>
    </p>
  )
}
