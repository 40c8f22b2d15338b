import { NumberField as Base } from '@base-ui/react/number-field'
import { type ReactNode, useState } from 'react'
import { language } from '../language/chosen'
import { t } from '../language/text'
import type { Described } from './described-by'
import { Field } from './Field'
import { Icon } from './Icon'
import { type Bounds, editedNumber, isWithin, numberError, numberText } from './number'

interface InputProps extends Bounds, Described {
  /** a plain number as text, such as `0.5`; empty: unset */
  value: string
  onChange: (value: string) => void
  id?: string | undefined
  'aria-label'?: string | undefined
  placeholder?: string | undefined
  /** how much an arrow changes it */
  step?: number
  /** shown after the number */
  unit?: ReactNode
  disabled?: boolean
  /** of the input: `small`, `changed` */
  className?: string
  size?: number
}

/** Keys that change the number by themselves. */
const STEPS = new Set(['ArrowUp', 'ArrowDown', 'Home', 'End'])

/** Belongs to no form: the library's hidden input must not refuse in the browser's language what our form explains. */
const NO_FORM = 'none'

/**
 * A number that is typed, or changed by arrows. The text is the form's: no digit is lost, and what is no number stays for
 * the form to explain. Steps, Home and End are the library's.
 */
export function NumberInput({
  value,
  onChange,
  id,
  min,
  max,
  decimal = false,
  above = false,
  step = 1,
  unit,
  disabled = false,
  className = '',
  ...input
}: InputProps) {
  // What is being typed, until the field is left: "1." and "1,000" are on the way to a number.
  const [typed, setTyped] = useState<{ text: string; plain: string }>()
  const isExact = isWithin(value, { decimal, min: -Number.MAX_SAFE_INTEGER })
  const least = above && min !== undefined ? min + step : (min ?? (decimal ? undefined : 0))
  const shown = typed !== undefined && typed.plain === value ? typed.text : numberText(value)
  const take = (text: string): void => {
    const plain = editedNumber(shown, text)
    setTyped({ text, plain })
    onChange(plain)
  }
  return (
    <Base.Root
      className="number-field"
      {...(id !== undefined && { id })}
      form={NO_FORM}
      locale={language.locale}
      value={isExact ? Number(value) : null}
      min={least}
      max={max}
      step={decimal && step === 1 ? 'any' : step}
      largeStep={step * 10}
      smallStep={decimal ? step / 10 : step}
      disabled={disabled}
      onValueChange={(next, { reason }) => {
        if (reason.startsWith('input')) return
        setTyped(undefined)
        onChange(next === null ? '' : String(next))
      }}
    >
      <Base.Input
        {...input}
        className={`input num ${className}`.trimEnd()}
        aria-roledescription={t('number')}
        inputMode={decimal ? 'decimal' : 'numeric'}
        value={shown}
        onChange={(event) => {
          event.preventBaseUIHandler()
          take(event.target.value)
        }}
        onPaste={(event) => event.preventBaseUIHandler()}
        onKeyDown={(event) => {
          // Letters stay for the form to explain. A text of more digits than a number has is not stepped.
          if (!STEPS.has(event.key) || (value !== '' && !isExact)) event.preventBaseUIHandler()
        }}
        onBlur={(event) => {
          event.preventBaseUIHandler()
          setTyped(undefined)
        }}
      />
      {unit !== undefined && <span className="number-unit">{unit}</span>}
      <span className="number-steps">
        <Base.Increment aria-label={t('More')}>
          <Icon name="up" />
        </Base.Increment>
        <Base.Decrement aria-label={t('Less')}>
          <Icon name="down" />
        </Base.Decrement>
      </span>
    </Base.Root>
  )
}

interface FieldProps extends Omit<InputProps, 'id' | 'aria-label' | keyof Described> {
  label: ReactNode
  hint?: ReactNode
  /** unset: what the bounds say */
  error?: string | undefined
}

/** A number with its label. */
export function NumberField({ label, hint, error, ...input }: FieldProps) {
  const { value, min, max, decimal, above } = input
  const bounds = {
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(decimal !== undefined && { decimal }),
    ...(above !== undefined && { above }),
  }
  return (
    <Field label={label} hint={hint} error={error ?? numberError(value, bounds)}>
      {(control) => <NumberInput {...input} {...control} />}
    </Field>
  )
}
