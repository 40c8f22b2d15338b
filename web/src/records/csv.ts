import { type Exact, isExactObject, parseExact, printExact } from './json'
import { binsOf } from './columns'

// Records as CSV in PostgreSQL's dialect, as the gateway's export writes it: an absent value is nothing, an empty text "".

const MUST_QUOTE = /[",\n\r]/

function cell(value: Exact | undefined): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : printExact(value)
  return text === '' || MUST_QUOTE.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvHeader = (bins: readonly string[]): string => `${['key', ...bins].map(cell).join(',')}\n`

/** The line of a record; undefined where it could not be read. */
export function csvLine(row: string, bins: readonly string[]): string | undefined {
  const record = parseExact(row)
  if (!isExactObject(record) || record['error'] !== undefined) return undefined
  const values = binsOf(record)
  return `${[record['key'], ...bins.map((name) => values[name])].map(cell).join(',')}\n`
}

/** Adds the bins of a record to those that were met. */
export function noteBins(row: string, met: Set<string>): void {
  for (const name of Object.keys(binsOf(parseExact(row)))) met.add(name)
}
