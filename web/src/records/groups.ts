import { type Exact, isExactObject, LosslessNumber, parseExact, printExact } from './json'

/** Groups of a query: what each is of, and its figures, digit by digit. */
export interface Groups {
  /** names of what they are grouped by, then of the figures */
  by: string[]
  figures: string[]
  rows: GroupRow[]
}

export interface GroupRow {
  by: Record<string, string>
  figures: Record<string, string>
  /** of the greatest first figure, 0 to 1 */
  share: number
}

/** The groups that rows of an answer are; undefined where they are records. */
export function groupsOf(lines: readonly string[]): Groups | undefined {
  if (lines[0]?.startsWith('{"by":') !== true) return undefined
  const parsed = lines.map((line) => parseExact(line)).filter(isExactObject)
  const rows = parsed.map((group) => ({
    by: textsOf(group['by'], valueText),
    figures: textsOf(group['aggregate'], figureText),
  }))
  const names = (part: 'by' | 'figures'): string[] => [...new Set(rows.flatMap((row) => Object.keys(row[part])))]
  const figures = names('figures')
  const first = (row: { figures: Record<string, string> }): number =>
    Math.max(0, Number(row.figures[figures[0] ?? ''] ?? 0) || 0)
  const most = Math.max(0, ...rows.map(first))
  return { by: names('by'), figures, rows: rows.map((row) => ({ ...row, share: most > 0 ? first(row) / most : 0 })) }
}

function textsOf(value: Exact | undefined, text: (member: Exact) => string): Record<string, string> {
  if (!isExactObject(value)) return {}
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, text(member)]))
}

const valueText = (value: Exact): string => (typeof value === 'string' ? value : printExact(value))

/** `exact` is an integer beyond what a double keeps. */
function figureText(value: Exact): string {
  if (!isExactObject(value)) return '–'
  const { exact, value: plain } = value
  if (typeof exact === 'string') return exact
  return plain instanceof LosslessNumber ? plain.toString() : '–'
}
