import { useId, type ReactNode } from 'react'
import { type Described, describedBy } from './described-by'
import { ErrorText } from './ErrorText'

export interface ControlProps extends Described {
  id: string
}

interface Props {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  children: (control: ControlProps) => ReactNode
}

/** A labelled control with hint and error, linked for screen readers. */
export function Field({ label, hint, error, children }: Props) {
  const id = useId()
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`]
  const described = describedBy(error === undefined ? undefined : errorId, hint === undefined ? undefined : hintId)
  return (
    <div className="field">
      <label htmlFor={id} id={`${id}-label`}>
        {label}
      </label>
      {children({ id, ...described })}
      {hint !== undefined && (
        <div className="hint" id={hintId}>
          {hint}
        </div>
      )}
      {error !== undefined && <ErrorText id={errorId}>{error}</ErrorText>}
    </div>
  )
}
