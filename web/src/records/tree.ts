import { type Exact, isExactObject, LosslessNumber, parseExact, printExact } from './json'

/** One line of a tree. */
export interface TreeLine {
  /** place in the tree: of a record its number, below it one step after the other */
  id: string
  parent: string | undefined
  level: number
  name: string
  /** the value, or what is inside in a few words */
  text: string
  kind: 'null' | 'boolean' | 'number' | 'string' | 'list' | 'map'
  /** undefined where nothing is inside */
  open: boolean | undefined
  /** place among its siblings, from 1, and how many they are */
  place: number
  places: number
}

/** Longest value that a line shows, characters. */
const LINE = 400

/** The lines of records of which `open` are open; only open ones are parsed. */
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
