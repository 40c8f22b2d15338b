import { useId, type ReactNode } from 'react'

export interface ControlProps {
  id: string
  'aria-describedby'?: string
  'aria-invalid'?: true
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
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .filter(Boolean)
    .join(' ')
  const control: ControlProps = { id }
  if (described !== '') control['aria-describedby'] = described
  if (error !== undefined) control['aria-invalid'] = true
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(control)}
      {hint !== undefined && (
        <div className="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {error !== undefined && (
        <div className="error" id={`${id}-error`} role="alert">
          {error}
        </div>
      )}
    </div>
  )
}
