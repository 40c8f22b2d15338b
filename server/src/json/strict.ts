// JSON of control requests. Unlike JSON.parse it refuses duplicate keys, deep nesting and bad UTF-8, and keeps
// chosen members as written, so that their 64-bit numbers reach the core exactly.
import { GatewayError } from '../errors.js'
import { say } from '../sentences/sentence.js'

/** As in the core: lists and maps nest at most this deep. */
const NESTING_MAX = 64

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text around a fault, which may be a secret: `, ..."secret":"abc"... is not valid JSON`. */
const SNIPPET = /, (?:\.{3})?".*"(?:\.{3})? is not valid JSON$/s

/**
 * Parses `bytes`. Members named in `raw`, of any object that is not inside another such member, come out as Buffers of
 * their JSON text.
 *
 * @throws GatewayError `utf8_invalid`, `json_invalid`, `json_duplicate_key`, `nesting_too_deep`
 */
export function parseStrictJson(bytes: Buffer, raw: readonly string[] = []): unknown {
  const text = decode(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new GatewayError('json_invalid', (error as Error).message.replace(SNIPPET, ''))
  }
  for (const { path, name, start, end } of walk(text, raw)) {
    const object = path.reduce<unknown>((inside, step) => (inside as Record<string | number, unknown>)[step], value)
    ;(object as Record<string, unknown>)[name] = Buffer.from(text.slice(start, end))
  }
  return value
}

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new GatewayError('utf8_invalid', say('the body is not UTF-8'))
  }
}

interface Member {
  /** Path to its object, from the top. */
  path: (string | number)[]
  name: string
  start: number
  end: number
}

/** An open object with its keys so far and the current key, or an open list with the current position. */
interface Open {
  keys: Set<string> | null
  at: string | number
}

/** Walks text that JSON.parse accepted. Returns the positions of the members named in `raw`. */
function walk(text: string, raw: readonly string[]): Member[] {
  const members: Member[] = []
  const open: Open[] = []
  /** The raw member being read, and its depth. */
  let member: Member | null = null
  let depth = 0
  let expectKey = false
  const endMember = (end: number) => {
    if (member === null || open.length !== depth) return
    members.push({ ...member, end })
    member = null
  }
  for (let i = 0; i < text.length; i += 1) {
    const inside = open.at(-1)
    switch (text[i]) {
      case '"': {
        const end = stringEnd(text, i)
        if (expectKey && inside?.keys != null) {
          const key = JSON.parse(text.slice(i, end)) as string
          if (inside.keys.has(key))
            throw new GatewayError('json_duplicate_key', say('the key "{key}" appears twice', { key }), { field: key })
          inside.keys.add(key)
          inside.at = key
          expectKey = false
          if (member === null && raw.includes(key)) {
            depth = open.length
            const path = open.slice(0, -1).map(({ at }) => at)
            member = { path, name: key, start: text.indexOf(':', end) + 1, end: 0 }
          }
        }
        i = end - 1
        break
      }
      case '{':
      case '[':
        open.push(text[i] === '{' ? { keys: new Set(), at: '' } : { keys: null, at: 0 })
        expectKey = text[i] === '{'
        if (open.length > NESTING_MAX)
          throw new GatewayError('nesting_too_deep', say('nesting is deeper than {most} levels', { most: NESTING_MAX }))
        break
      case '}':
      case ']':
        endMember(i)
        open.pop()
        expectKey = false
        break
      case ',':
        endMember(i)
        expectKey = inside?.keys != null
        if (inside?.keys === null) inside.at = (inside.at as number) + 1
        break
      default:
    }
  }
  return members
}

/** Index after the closing quote of the string that opens at `start`. */
function stringEnd(text: string, start: number): number {
  let i = start + 1
  while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1
  return i + 1
}
