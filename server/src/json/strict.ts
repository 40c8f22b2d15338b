// JSON of control requests: like JSON.parse, but a key given twice, deep nesting and bad UTF-8 are refused, and
// chosen members stay as they were written, so that their 64-bit numbers reach the core exactly.
import { GatewayError } from '../errors.js'

/** As in the core: lists and maps nest at most this deep. */
const NESTING_MAX = 64

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses `bytes`. Members of the top-level object named in `raw` come out as Buffers of their JSON text.
 *
 * @throws GatewayError `utf8_invalid`, `json_invalid`, `json_duplicate_key`, `nesting_too_deep`
 */
export function parseStrictJson(bytes: Buffer, raw: readonly string[] = []): unknown {
  const text = decode(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new GatewayError('json_invalid', (error as Error).message)
  }
  const members = walk(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const object = value as Record<string, unknown>
  for (const name of raw) {
    const member = members.get(name)
    if (member !== undefined) object[name] = Buffer.from(text.slice(member.start, member.end))
  }
  return object
}

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new GatewayError('utf8_invalid', 'the body is not UTF-8')
  }
}

interface Member {
  start: number
  end: number
}

/** Walks text that JSON.parse has accepted; returns where the members of the top-level object lie. */
function walk(text: string): Map<string, Member> {
  const members = new Map<string, Member>()
  /** Keys of the open objects; null for an open list. */
  const open: (Set<string> | null)[] = []
  let member: Member | null = null
  let expectKey = false
  for (let i = 0; i < text.length; i += 1) {
    switch (text[i]) {
      case '"': {
        const end = stringEnd(text, i)
        const keys = open.at(-1)
        if (expectKey && keys !== undefined && keys !== null) {
          const key = JSON.parse(text.slice(i, end)) as string
          if (keys.has(key))
            throw new GatewayError('json_duplicate_key', `the key ${JSON.stringify(key)} comes twice`, { field: key })
          keys.add(key)
          expectKey = false
          if (open.length === 1) {
            member = { start: text.indexOf(':', end) + 1, end: 0 }
            members.set(key, member)
          }
        }
        i = end - 1
        break
      }
      case '{':
      case '[':
        open.push(text[i] === '{' ? new Set() : null)
        expectKey = text[i] === '{'
        if (open.length > NESTING_MAX)
          throw new GatewayError('nesting_too_deep', `nesting is deeper than ${NESTING_MAX} levels`)
        break
      case '}':
      case ']':
        if (open.length === 1 && member !== null) member.end = i
        open.pop()
        expectKey = false
        break
      case ',':
        if (open.length === 1 && member !== null) member.end = i
        expectKey = open.at(-1) !== null
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
