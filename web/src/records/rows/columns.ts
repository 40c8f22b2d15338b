import { type Exact, isExactObject, printExact } from '../json'
import { t } from '../../language/text'

/** The bins of a record object. */
export function binsOf(record: Exact | undefined): { [name: string]: Exact } {
  const bins = isExactObject(record) ? record['bins'] : undefined
  return isExactObject(bins) ? bins : {}
}

/**
 * The columns of a table of these records: the bins that most records have, in the order found; `hidden` counts the
 * others.
 */
export function binColumns(records: readonly Exact[], most: number): { names: string[]; hidden: number } {
  const seen = new Map<string, number>()
  for (const record of records)
    for (const name of Object.keys(binsOf(record))) seen.set(name, (seen.get(name) ?? 0) + 1)
  const all = [...seen.keys()]
  const kept = new Set(all.toSorted((a, b) => (seen.get(b) ?? 0) - (seen.get(a) ?? 0)).slice(0, most))
  return { names: all.filter((name) => kept.has(name)), hidden: Math.max(0, all.length - most) }
}

/** A note that a table does not show all bins. */
export function hiddenWords(hidden: number): string {
  return hidden === 0
    ? ''
    : t('{hidden, plural, one {# more bin} other {# more bins}} in the opened record', { hidden })
}

/** A value as a cell shows it. */
export function cellText(value: Exact | undefined): string {
  if (value === undefined) return ''
  return (typeof value === 'string' ? value : printExact(value)).slice(0, 160)
}
