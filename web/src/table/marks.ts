/** The rows of a table that are marked, by their keys. */
export interface Marks<Row> {
  has: (key: string) => boolean
  /** keeps its identity, so that a row renders again only if it is marked or unmarked */
  toggle: (row: Row) => void
  /** what a screen reader calls the row */
  nameOf: (row: Row) => string
  /** whether the row can be marked */
  can: (row: Row) => boolean
  /** of the box in the head: whether all rows that can be marked are; `some`: a few of them */
  state: 'all' | 'some' | 'none'
  toggleAll: () => void
}
