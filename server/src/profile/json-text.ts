// Reads the JSON of a record as the engine writes it: what each value is and where its text lies. Numbers stay text, so that
// an integer is told from a double and keeps its digits. The text is the engine's own: valid, and without blanks.

export type ValueKind = 'null' | 'boolean' | 'integer' | 'double' | 'string' | 'bytes' | 'list' | 'map'

export interface Node {
  kind: ValueKind
  start: number
  /** After its last character. */
  end: number
  /** Items of a list, members of a map. */
  size: number
  /** Members of a map, as many as the bounds allow. */
  members: readonly (readonly [name: string, value: Node])[]
  /** Items of a list, as many as the bounds allow. */
  items: readonly Node[]
}

export interface Bounds {
  /** Levels of lists and maps that are looked into. */
  depth: number
  members: number
  items: number
}

const NONE: readonly never[] = []
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_MAP = 0x7b
const CLOSE_MAP = 0x7d
/** How the API writes bytes: a map with this one member. */
const BYTES_KEY = '$bytes'

/** The value that begins at `start`. Whatever lies beyond the bounds is passed over. */
export function nodeAt(text: string, start: number, bounds: Bounds): Node {
  switch (text.charCodeAt(start)) {
    case OPEN_MAP:
      return bounds.depth === 0 ? passedOver(text, start, 'map') : mapAt(text, start, bounds)
    case OPEN_LIST:
      return bounds.depth === 0 ? passedOver(text, start, 'list') : listAt(text, start, bounds)
    case QUOTE:
      return scalar('string', start, stringEnd(text, start))
    default:
      return wordAt(text, start)
  }
}

const scalar = (kind: ValueKind, start: number, end: number): Node => ({
  kind,
  start,
  end,
  size: 0,
  members: NONE,
  items: NONE,
})

/** A number, `true`, `false` or `null`. */
function wordAt(text: string, start: number): Node {
  let end = start
  let double = false
  for (; end < text.length; end += 1) {
    const unit = text.charCodeAt(end)
    if (unit === COMMA || unit === CLOSE_MAP || unit === CLOSE_LIST) break
    double ||= unit === 0x2e || unit === 0x65 || unit === 0x45
  }
  const first = text[start]
  if (first === 'n') return scalar('null', start, end)
  if (first === 't' || first === 'f') return scalar('boolean', start, end)
  return scalar(double ? 'double' : 'integer', start, end)
}

function mapAt(text: string, start: number, bounds: Bounds): Node {
  const node = membersAt(text, start, bounds.members, { ...bounds, depth: bounds.depth - 1 })
  const [only] = node.members
  const isBytes = node.size === 1 && only?.[0] === BYTES_KEY && only[1].kind === 'string'
  return isBytes ? scalar('bytes', start, node.end) : node
}

/** The map that begins at `start`, with at most so many members, each read within the bounds `inside`. */
export function membersAt(text: string, start: number, most: number, inside: Bounds): Node {
  const members: (readonly [string, Node])[] = []
  let size = 0
  let at = start + 1
  for (; text.charCodeAt(at) !== CLOSE_MAP; size += 1) {
    if (text.charCodeAt(at) === COMMA) at += 1
    const keyEnd = stringEnd(text, at)
    const value = keyEnd + 1
    if (members.length < most) {
      const node = nodeAt(text, value, inside)
      members.push([JSON.parse(text.slice(at, keyEnd)) as string, node])
      at = node.end
    } else at = endOf(text, value)
  }
  return { kind: 'map', start, end: at + 1, size, members, items: NONE }
}

function listAt(text: string, start: number, bounds: Bounds): Node {
  const inside = { ...bounds, depth: bounds.depth - 1 }
  const items: Node[] = []
  let size = 0
  let at = start + 1
  for (; text.charCodeAt(at) !== CLOSE_LIST; size += 1) {
    if (text.charCodeAt(at) === COMMA) at += 1
    if (items.length < bounds.items) {
      const node = nodeAt(text, at, inside)
      items.push(node)
      at = node.end
    } else at = endOf(text, at)
  }
  return { kind: 'list', start, end: at + 1, size, members: NONE, items }
}

function passedOver(text: string, start: number, kind: ValueKind): Node {
  const end = endOf(text, start)
  const isBytes = kind === 'map' && text.startsWith(`{"${BYTES_KEY}":"`, start)
  return scalar(isBytes ? 'bytes' : kind, start, end)
}

/** After the value that begins at `start`, without recursion. */
function endOf(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length;) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      at = stringEnd(text, at)
      if (depth === 0) return at
      continue
    }
    if (unit === OPEN_MAP || unit === OPEN_LIST) depth += 1
    else if (unit === CLOSE_MAP || unit === CLOSE_LIST) {
      depth -= 1
      if (depth === 0) return at + 1
      if (depth < 0) return at
    } else if (unit === COMMA && depth === 0) return at
    at += 1
  }
  return text.length
}

/** After the closing quote of the string that opens at `start`. */
function stringEnd(text: string, start: number): number {
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return text.length
    let slashes = 0
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return quote + 1
    at = quote + 1
  }
}
