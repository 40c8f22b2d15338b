import type { ReactNode } from 'react'
import type { Fault } from '../records/json-scan'
import { Field } from '../ui/Field'
import type { Guide } from './guide'
import { JsonEditor } from './JsonEditor'

interface Props {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  fault?: Fault | undefined
  value: string
  onChange: (text: string) => void
  rows?: number
  placeholder?: string
  readOnly?: boolean
  guide?: Guide | undefined
}

/** A labelled editor of JSON, with hint and error. */
export function JsonField({ label, hint, error, ...editor }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <JsonEditor {...control} aria-labelledby={`${control.id}-label`} {...editor} />}
    </Field>
  )
}
