import { Button } from '../../ui/Button'
import { t } from '../../language/text'

interface Props {
  /** from 0 */
  part: number
  parts: number
  onPart: (part: number) => void
}

/** Turns the parts of what is too long to show at once. */
export function PartPager({ part, parts, onPart }: Props) {
  if (parts < 2) return null
  const last = parts - 1
  return (
    <div className="row" role="group" aria-label={t('Parts')}>
      <Button small disabled={part === 0} onClick={() => onPart(0)}>
        {t('First')}
      </Button>
      <Button small disabled={part === 0} onClick={() => onPart(part - 1)}>
        {t('Previous')}
      </Button>
      <span className="num mute small" role="status">
        {t('part {part} of {parts}', { part: part + 1, parts })}
      </span>
      <Button small disabled={part === last} onClick={() => onPart(part + 1)}>
        {t('Next')}
      </Button>
      <Button small disabled={part === last} onClick={() => onPart(last)}>
        {t('Last')}
      </Button>
    </div>
  )
}
