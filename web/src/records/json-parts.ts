import { endOfToken, laidOut, skipSpace } from './json-scan'

/** About the characters of a part, before it is laid out. */
export const PART_CHARS = 64_000

/** Where a part begins: between two tokens at a level of nesting, or inside a long string. */
export interface Part {
  at: number
  level: number
  inString: boolean
}

/** Cuts valid JSON into parts that can be laid out one by one. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [{ at: 0, level: 0, inString: false }]
  let last = 0
  let level = 0
  for (let from = skipSpace(text, 0), to = 0; from < text.length; from = skipSpace(text, to)) {
    to = endOfToken(text, from)
    if (from - last >= PART_CHARS) {
      parts.push({ at: from, level, inString: false })
      last = from
    }
    const first = text[from]
    if (first === '{' || first === '[') level += 1
    else if (first === '}' || first === ']') level -= 1
    // A string that is longer than a part.
    for (; to - last >= 2 * PART_CHARS; last += PART_CHARS) parts.push({ at: last + PART_CHARS, level, inString: true })
  }
  return parts
}

/** The text of a part: laid out, or as it is if it is a piece of a string. */
export function partText(text: string, parts: readonly Part[], at: number): string {
  const [part, next] = [parts[at], parts[at + 1]]
  if (part === undefined) return ''
  const piece = text.slice(part.at, next?.at)
  return part.inString || next?.inString === true ? piece : laidOut(piece, 2, part.level)
}
