/** Attributes of a control that tie it to the texts about it, for screen readers. */
export interface Described {
  'aria-describedby'?: string
  'aria-invalid'?: true
}

/** Describes a control by the error and the hint with these ids, if they are shown. The hint comes first. */
export function describedBy(error: string | undefined, hint?: string): Described {
  const ids = [hint, error].filter((id) => id !== undefined).join(' ')
  return { ...(ids !== '' && { 'aria-describedby': ids }), ...(error !== undefined && { 'aria-invalid': true }) }
}
