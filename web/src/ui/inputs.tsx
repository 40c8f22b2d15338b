import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes } from 'react'
import { Field } from './Field'

interface Common {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
}

interface TextProps extends Common, Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> {
  value: string
  onChange: (value: string) => void
  mono?: boolean
}

/** One line of text. */
export function TextField({
  label,
  hint,
  error,
  value,
  onChange,
  mono = false,
  autoComplete = 'off',
  ...rest
}: TextProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...rest}
          {...control}
          className={mono ? 'input mono' : 'input'}
          value={value}
          autoComplete={autoComplete}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

interface AreaProps extends Common {
  value: string
  onChange: (value: string) => void
  rows?: number
  placeholder?: string
}

/** Several lines of code or JSON. */
export function AreaField({ label, hint, error, value, onChange, rows = 5, placeholder }: AreaProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          {...control}
          className="area"
          rows={rows}
          placeholder={placeholder}
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

export interface Choice<T extends string> {
  value: T
  label: string
}

interface SelectProps<T extends string> extends Common {
  value: T
  choices: readonly Choice<T>[]
  onChange: (value: T) => void
  disabled?: boolean
}

interface PlainSelectProps<T extends string> extends Omit<
  SelectHTMLAttributes<HTMLSelectElement>,
  'onChange' | 'value'
> {
  value: T
  choices: readonly Choice<T>[]
  onChange: (value: T) => void
}

/** A select without a label of its own. */
export function Select<T extends string>({
  value,
  choices,
  onChange,
  className = 'select',
  ...rest
}: PlainSelectProps<T>) {
  return (
    <select {...rest} className={className} value={value} onChange={(event) => onChange(event.target.value as T)}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  )
}

/** One of several values. */
export function SelectField<T extends string>({ label, hint, error, ...select }: SelectProps<T>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Select {...control} {...select} />}
    </Field>
  )
}

interface SmallSelectProps<T extends string> {
  label: string
  value: T
  choices: readonly Choice<T>[]
  onChange: (value: T) => void
}

/** A select for toolbars; its label is for screen readers. */
export function SmallSelect<T extends string>({ label, ...select }: SmallSelectProps<T>) {
  return <Select aria-label={label} className="select small" {...select} />
}

/** Choices from plain strings. */
export function plainChoices<T extends string>(values: readonly T[]): Choice<T>[] {
  return values.map((value) => ({ value, label: value }))
}
