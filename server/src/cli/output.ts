// What a command prints: JSON for programs, aligned text for people. Pieces wait for whoever reads them.
import { once } from 'node:events'

const KIB = 1024
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** Writes to standard output, and waits if its reader is slow. */
export async function write(text: string | Buffer): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

export const writeJson = (value: unknown): Promise<void> => write(`${JSON.stringify(value)}\n`)

/** Says something to the person, aside from the result. */
export const tell = (line: string): boolean => process.stderr.write(`${printable(line)}\n`)

/** A column: its title, and where its cells are: `config.storage.engine`. */
export type Column = readonly [title: string, path: string]

export function table(rows: readonly object[], columns: readonly Column[]): string {
  const lines = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, path]) => cell(path, valueAt(row, path)))),
  ]
  return aligned(lines)
}

/** One line per value of an object, those inside it by their path. What is unset is left out. */
export function pairs(value: object): string {
  return aligned(leaves(value, '').map(([path, leaf]) => [path, cell(path, leaf)]))
}

function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)))
  return lines
    .map(
      (line) =>
        `${line
          .map((text, at) => text.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function leaves(value: object, before: string): [string, unknown][] {
  return Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const path = before === '' ? key : `${before}.${key}`
    if (inner === undefined) return []
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return [[path, inner]]
    return leaves(inner as object, path)
  })
}

function valueAt(row: object, path: string): unknown {
  let value: unknown = row
  for (const key of path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
  }
  return value
}

function cell(path: string, value: unknown): string {
  if (value === undefined || value === null) return '-'
  if (typeof value === 'number' && /bytes$/i.test(path)) return bytes(value)
  if (typeof value === 'string') return printable(value)
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return printable(value.join(', ')) || '-'
  return printable(JSON.stringify(value))
}

function bytes(value: number): string {
  let [left, at] = [value, 0]
  while (left >= KIB && at < UNITS.length - 1) [left, at] = [left / KIB, at + 1]
  return `${at === 0 ? left : left.toFixed(1)} ${UNITS[at] ?? ''}`
}

/** Without characters that a terminal would obey. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ')
