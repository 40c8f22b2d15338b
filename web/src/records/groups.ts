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

/** The groups that rows of an answer are; undefined where they are records. A name that was asked for is there, though no group has it. */
export function groupsOf(lines: readonly string[], asked: Asked): Groups | undefined {
  if (lines[0]?.startsWith('{"by":') !== true) return undefined
  const parsed = lines.map((line) => parseExact(line)).filter(isExactObject)
  const rows = parsed.map((group) => ({
    by: textsOf(group['by'], valueText),
    figures: textsOf(group['aggregate'], figureText),
  }))
  const figures = [...new Set(rows.flatMap((row) => Object.keys(row.figures)))]
  const { order } = asked
  const drawn = order !== undefined && figures.includes(order) ? order : figures[0]
  const size = (row: { figures: Record<string, string> }): number =>
    Math.max(0, Number(row.figures[drawn ?? ''] ?? 0) || 0)
  const most = Math.max(0, ...rows.map(size))
  return {
    by: [...new Set([...asked.by, ...rows.flatMap((row) => Object.keys(row.by))])],
    figures,
    drawn,
    rows: rows.map((row) => ({ ...row, share: most > 0 ? size(row) / most : 0 })),
  }
}

/** What a request says of its groups: the names that they are by, as far as it says them, and the figure that orders them. */
export interface Asked {
  by: readonly string[]
  order: string | undefined
}

export function askedOf(body: string): Asked {
  const { group: asked, steps } = readRequest(body) ?? {}
  // Of a stream the last step.
  const last = Array.isArray(steps) ? steps.at(-1) : undefined
  const group = isExactObject(last) ? last['groupBy'] : asked
  const { by, order } = isExactObject(group) ? group : {}
  const names = Array.isArray(by) ? by.map(nameOf).filter((name) => name !== undefined) : []
  return { by: names, order: typeof order === 'string' ? order : undefined }
}

/** A bin is called by its name, what lies at a path by its last key, unless `as` says otherwise. */
export function nameOf(item: Exact): string | undefined {
  if (typeof item === 'string') return item
  if (!isExactObject(item)) return undefined
  const { bin, path, as } = item
  if (typeof as === 'string') return as
  if (path === undefined) return typeof bin === 'string' ? bin : undefined
  return typeof path === 'string' && /^\w+(\.\w+)*$/.test(path) ? path.split('.').at(-1) : undefined
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
