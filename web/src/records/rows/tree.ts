import { type Exact, isExactObject, LosslessNumber, parseExact, printExact } from '../json'

/** One line of a tree. */
export interface TreeLine {
  /** path in the tree: number of the record, then one step per level */
  id: string
  parent: string | undefined
  level: number
  name: string
  /** the value, or a summary of the contents */
  text: string
  kind: 'null' | 'boolean' | 'number' | 'string' | 'list' | 'map'
  /** undefined if it has no children */
  open: boolean | undefined
  /** position among its siblings, from 1, and their number */
  place: number
  places: number
}

/** Longest shown value, characters. */
const LINE = 400

/** The lines of the tree; `open` are the open nodes. Only open nodes are parsed. */
export function treeLines(rows: readonly string[], open: ReadonlySet<string>): TreeLine[] {
  const lines: TreeLine[] = []
  rows.forEach((row, at) => {
    const id = String(at)
    const isOpen = open.has(id)
    lines.push({
      id,
      parent: undefined,
      level: 1,
      name: String(at + 1),
      text: isOpen ? '' : row.slice(0, LINE),
      kind: 'map',
      open: isOpen,
      place: at + 1,
      places: rows.length,
    })
    if (isOpen) addInside(lines, parseExact(row), id, 2, open)
  })
  return lines
}

function addInside(lines: TreeLine[], value: Exact, parent: string, level: number, open: ReadonlySet<string>): void {
  const inside = membersOf(value)
  inside.forEach(([name, member], at) => {
    const id = `${parent}/${at}`
    const size = membersOf(member).length
    const isOpen = size > 0 && open.has(id)
    lines.push({
      id,
      parent,
      level,
      name,
      text: isOpen ? '' : brief(member, size),
      kind: kindOf(member),
      open: size > 0 ? isOpen : undefined,
      place: at + 1,
      places: inside.length,
    })
    if (isOpen) addInside(lines, member, id, level + 1, open)
  })
}

function membersOf(value: Exact): [string, Exact][] {
  if (Array.isArray(value)) return value.map((item, at) => [String(at), item])
  return isExactObject(value) ? Object.entries(value) : []
}

function brief(value: Exact, size: number): string {
  if (size > 0) return Array.isArray(value) ? `[${size}]` : `{${size}}`
  return printExact(value).slice(0, LINE)
}

function kindOf(value: Exact): TreeLine['kind'] {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (value instanceof LosslessNumber) return 'number'
  return typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'boolean' : 'map'
}
