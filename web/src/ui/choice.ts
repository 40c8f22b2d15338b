/** One of several values, and how it is called. */
export interface Choice<T extends string> {
  value: T
  label: string
}

/** A search that somebody else answers, with other choices. */
export interface ChoiceSearch<T extends string> {
  text: string
  onText: (text: string) => void
  /** whether the choices are still those of an earlier text */
  pending: boolean
  /** how many there are, those that are not listed too */
  matching: number
  /** the one that is chosen, which need not be listed */
  chosen: Choice<T>
}
