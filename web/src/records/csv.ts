import { type Exact, isExactObject, LosslessNumber, printExact } from './json'
import { binsOf } from './rows/columns'

/** Record objects as a table with the key and a column for each bin, as an export of a set writes it. */
export function csvOf(records: readonly Exact[]): string {
  const names = [...new Set(records.flatMap((record) => Object.keys(binsOf(record))))]
  const head = [names.includes('key') ? 'record_key' : 'key', ...names].map(textCell)
  const rows = records.map((record) => {
    const bins = binsOf(record)
    const key = isExactObject(record) ? record['key'] : undefined
    return [cellOf(key), ...names.map((name) => cellOf(bins[name]))]
  })
  return [head, ...rows].map((cells) => `${cells.join(',')}\n`).join('')
}

function cellOf(value: Exact | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return textCell(value)
  return typeof value === 'boolean' || value instanceof LosslessNumber ? String(value) : quoted(printExact(value))
}

/** In quotes if without them it could be read as something else. */
const textCell = (text: string): string => (/^(?:|true|false|[-\d{[\\].*)$|[",\n\r]/s.test(text) ? quoted(text) : text)

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
