import { type Exact, isExactObject, parseExact, printExact } from '../../../records/json'

/** The first row's value at a source, as text; undefined if the browser cannot tell. */
export function sourceValue(
  source: string,
  columns: readonly string[],
  row: readonly string[] | undefined,
): string | undefined {
  const whole = columns.indexOf(source)
  if (whole >= 0) return row?.[whole]
  const at = columns.findIndex((name) => source.startsWith(`${name}.`))
  const text = row?.[at]
  if (text === undefined) return undefined
  let value: Exact | undefined = parsed(text)
  for (const key of source.slice((columns[at] ?? '').length + 1).split('.')) {
    value = isExactObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value === undefined ? undefined : typeof value === 'string' ? value : printExact(value)
}

function parsed(text: string): Exact | undefined {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}
