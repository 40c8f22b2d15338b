import { useState } from 'react'
import { dateTime } from '../../format'

interface Props {
  label: string
  /** Unix milliseconds */
  value: number | undefined
  onChange: (next: number | undefined) => void
}

/** A moment for toolbars, in local time; its label is for screen readers. Half a year is no moment yet. */
export function TimeInput({ label, value, onChange }: Props) {
  const [typed, setTyped] = useState<string>()
  return (
    <input
      type="datetime-local"
      className="input small"
      aria-label={label}
      title={label}
      step={1}
      value={typed ?? (value === undefined ? '' : dateTime(value).replace(' ', 'T'))}
      onBlur={() => setTyped(undefined)}
      onChange={({ target: { value: text } }) => {
        setTyped(text)
        const time = Date.parse(text)
        if (text === '') onChange(undefined)
        else if (time >= 0) onChange(time)
      }}
    />
  )
}
