/** Rows by their index; they need not all be there. */
export interface RowSource<Row> {
  count: number
  /** undefined while the row is being read */
  at: (index: number) => Row | undefined
  keyOf: (row: Row, index: number) => string
  /** the index of a row that was `near` this one; -1 if it is gone */
  indexOf: (key: string, near: number) => number
  /** hears which rows are in view */
  onView?: (first: number, last: number) => void
}

/** The rows of a list. */
export function sourceOf<Row>(rows: readonly Row[], keyOf: (row: Row) => string): RowSource<Row> {
  return {
    count: rows.length,
    at: (index) => rows[index],
    keyOf,
    indexOf: (key) => rows.findIndex((row) => keyOf(row) === key),
  }
}
