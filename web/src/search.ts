/** A set in the URL's search part: empty for records without a set, absent where none is chosen. */
export function setOf(value: unknown): string | undefined {
  return value === '' ? '' : textOf(value)
}

/** A text of the URL's search part; numbers that look like names ("17") come as numbers. Empty means absent. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** JSON that was put into the address without quotes has been parsed, and its numbers rounded: it is taken as it stands there. */
export function jsonOf(name: string, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return textOf(value)
  return new URLSearchParams(location.search).get(name) ?? JSON.stringify(value)
}
