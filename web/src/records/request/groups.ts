import { type Exact, isExactObject, LosslessNumber, parseExact, printExact } from '../json'
import { readRequest } from './request'

/** Groups of a query with their keys and figures, as exact texts. */
export interface Groups {
  /** names of the group keys, then of the figures */
  by: string[]
  figures: string[]
  /** the figure drawn as bars: the one that orders the groups; undefined if there is none */
  drawn: string | undefined
  rows: GroupRow[]
}

export interface GroupRow {
  by: Record<string, string>
  figures: Record<string, string>
  /** share of the largest value of the drawn figure, 0 to 1 */
  share: number
}

/**
 * The rows of an answer as groups; undefined if they are records. Requested names are included even
 * if no group has them.
 */
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

/** The group keys in a request, as far as they have names, and the figure that orders the groups. */
export interface Asked {
  by: readonly string[]
  order: string | undefined
}

export function askedOf(body: string): Asked {
  const { group: asked, steps } = readRequest(body) ?? {}
  // In a stream, the last step has the groups.
  const last = Array.isArray(steps) ? steps.at(-1) : undefined
  const group = isExactObject(last) ? last['groupBy'] : asked
  const { by, order } = isExactObject(group) ? group : {}
  const names = Array.isArray(by) ? by.map(nameOf).filter((name) => name !== undefined) : []
  return { by: names, order: typeof order === 'string' ? order : undefined }
}

/** The name of a key: `as`, else the last key of the path, else the bin. */
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

/** `exact` is an integer that a double cannot hold. */
function figureText(value: Exact): string {
  if (!isExactObject(value)) return '–'
  const { exact, value: plain } = value
  if (typeof exact === 'string') return exact
  return plain instanceof LosslessNumber ? plain.toString() : '–'
}
