/** A set in the URL's search part: empty for records without a set, absent where none is chosen. */
export function setOf(value: unknown): string | undefined {
  return value === '' ? '' : textOf(value)
}

/** A text of the URL's search part; numbers that look like names ("17") come as numbers. Empty means absent. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}
