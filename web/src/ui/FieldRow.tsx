import { useId, type ReactNode } from 'react'
import { type Described, describedBy } from './described-by'
import { ErrorText } from './ErrorText'

interface Props<Part extends string> {
  /** what is wrong with each control; the first is shown */
  errors: Partial<Record<Part, string | undefined>>
  children: (control: (part: Part) => Described) => ReactNode
}

/** Controls side by side above what is wrong with one of them, linked for screen readers. */
export function FieldRow<Part extends string>({ errors, children }: Props<Part>) {
  const id = useId()
  const [wrong, error] = Object.entries<string | undefined>(errors).find(([, text]) => text !== undefined) ?? []
  return (
    <div className="stack-small">
      {children((part) => describedBy(part === wrong ? id : undefined))}
      {error !== undefined && <ErrorText id={id}>{error}</ErrorText>}
    </div>
  )
}
