import { useId } from 'react'
import type { Choice } from './inputs'

interface Props<T extends string> {
  label: string
  value: T
  choices: readonly Choice<T>[]
  onChange: (value: T) => void
}

/** A few exclusive choices side by side: radio buttons, so arrows move between them. */
export function Segmented<T extends string>({ label, value, choices, onChange }: Props<T>) {
  const name = useId()
  return (
    <div className="seg" role="radiogroup" aria-label={label}>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input type="radio" name={name} checked={choice.value === value} onChange={() => onChange(choice.value)} />
          {choice.label}
        </label>
      ))}
    </div>
  )
}
