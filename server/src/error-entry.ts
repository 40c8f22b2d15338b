// What is known of an error code.

export interface ErrorEntry {
  status: number
  title: string
  /** What the caller can do, for docs/errors.md. */
  remedy: string
}

export const entry = (status: number, title: string, remedy: string): ErrorEntry => ({ status, title, remedy })
