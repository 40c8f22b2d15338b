import { type Exact, isExactObject, LosslessNumber, parseExact, printExact } from './json'
import { readRequest } from './request'

/** Groups of a query: what each is of, and its figures, digit by digit. */
export interface Groups {
  /** names of what they are grouped by, then of the figures */
  by: string[]
  figures: string[]
  /** the figure that is drawn: the one that the groups are ordered by; undefined where there is none */
  drawn: string | undefined
  rows: GroupRow[]
}

export interface GroupRow {
  by: Record<string, string>
  figures: Record<string, string>
  /** its part of the greatest of the figure that is drawn, 0 to 1 */
  share: number
}

/** The groups that rows of an answer are, ordered by a figure, else by the first; undefined where they are records. */
export function groupsOf(lines: readonly string[], order?: string): Groups | undefined {
  if (lines[0]?.startsWith('{"by":') !== true) return undefined
  const parsed = lines.map((line) => parseExact(line)).filter(isExactObject)
  const rows = parsed.map((group) => ({
    by: textsOf(group['by'], valueText),
    figures: textsOf(group['aggregate'], figureText),
  }))
  const names = (part: 'by' | 'figures'): string[] => [...new Set(rows.flatMap((row) => Object.keys(row[part])))]
  const figures = names('figures')
  const drawn = order !== undefined && figures.includes(order) ? order : figures[0]
  const size = (row: { figures: Record<string, string> }): number =>
    Math.max(0, Number(row.figures[drawn ?? ''] ?? 0) || 0)
  const most = Math.max(0, ...rows.map(size))
  return {
    by: names('by'),
    figures,
    drawn,
    rows: rows.map((row) => ({ ...row, share: most > 0 ? size(row) / most : 0 })),
  }
}

/** The figure that a request orders its groups by; undefined where it names none. */
export function groupOrder(body: string): string | undefined {
  const group = readRequest(body)?.['group']
  const order = isExactObject(group) ? group['order'] : undefined
  return typeof order === 'string' ? order : undefined
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
