import type { CSSProperties, InputHTMLAttributes, ReactNode } from 'react'
import type { Choice, ChoiceSearch } from './choice'
import { ChoiceBox } from './ChoiceBox'
import type { Described } from './described-by'
import { Field } from './Field'

export type { Choice } from './choice'

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

interface SelectProps<T extends string> extends Common {
  value: T
  choices: readonly Choice<T>[]
  onChange: (value: T) => void
  disabled?: boolean
  search?: ChoiceSearch<T> | undefined
}

interface PlainSelectProps<T extends string> extends Described {
  id?: string
  'aria-label'?: string
  value: T
  choices: readonly Choice<T>[]
  onChange: (value: T) => void
  disabled?: boolean
  className?: string
  style?: CSSProperties
  /** unset: the choices are all there are */
  search?: ChoiceSearch<T> | undefined
}

/** The most choices that a list shows without a search. */
const FEW = 7

/** A select without a label of its own. If there are many choices, it has a search. */
export function Select<T extends string>({ className = 'select', ...props }: PlainSelectProps<T>) {
  const { search, ...plain } = props
  if (search !== undefined || plain.choices.length > FEW) return <ChoiceBox {...props} className={className} />
  const { value, choices, onChange, ...rest } = plain
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
  search?: ChoiceSearch<T> | undefined
}

/** A select for toolbars; its label is for screen readers. */
export function SmallSelect<T extends string>({ label, ...select }: SmallSelectProps<T>) {
  return <Select aria-label={label} className="select small" {...select} />
}

/** Choices from plain strings. */
export function plainChoices<T extends string>(values: readonly T[]): Choice<T>[] {
  return values.map((value) => ({ value, label: value }))
}

/** Choices with the words of the reader. */
export function wordChoices<T extends string>(values: readonly T[], words: (value: T) => string): Choice<T>[] {
  return values.map((value) => ({ value, label: words(value) }))
}
