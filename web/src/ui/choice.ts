/** One of several values, and how it is called. */
export interface Choice<T extends string> {
  value: T
  label: string
}
