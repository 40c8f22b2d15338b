import { useState } from 'react'
import { dateTime } from '../../format'
import { Tip } from '../../ui/Tip'

interface Props {
  label: string
  /** Unix milliseconds */
  value: number | undefined
  onChange: (next: number | undefined) => void
}

/** Digits of a time without its seconds. */
const MINUTES = 16

/** A moment for toolbars, in local time; its label is for screen readers. Half a year is no moment yet. */
export function TimeInput({ label, value, onChange }: Props) {
  const [typed, setTyped] = useState<string>()
  return (
    <Tip text={label}>
      <input
        type="datetime-local"
        className="input small"
        aria-label={label}
        value={typed ?? (value === undefined ? '' : dateTime(value).slice(0, MINUTES).replace(' ', 'T'))}
        onBlur={() => setTyped(undefined)}
        onChange={({ target: { value: text } }) => {
          setTyped(text)
          const time = Date.parse(text)
          if (text === '') onChange(undefined)
          else if (time >= 0) onChange(time)
        }}
      />
    </Tip>
  )
}
