/** What a text of JSON may hold, for suggestions. */
export interface Guide {
  /** the operation whose body it is, and the member of the body that it is; unset: bins of a record */
  body?: { operation: string; member?: string }
  /** names of bins that the page knows */
  bins: readonly string[]
}
