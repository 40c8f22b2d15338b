import { Button } from '../../ui/Button'

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
    <div className="row" role="group" aria-label="Parts">
      <Button small disabled={part === 0} onClick={() => onPart(0)}>
        First
      </Button>
      <Button small disabled={part === 0} onClick={() => onPart(part - 1)}>
        Previous
      </Button>
      <span className="num mute small" role="status">
        part {part + 1} of {parts}
      </span>
      <Button small disabled={part === last} onClick={() => onPart(part + 1)}>
        Next
      </Button>
      <Button small disabled={part === last} onClick={() => onPart(last)}>
        Last
      </Button>
    </div>
  )
}
