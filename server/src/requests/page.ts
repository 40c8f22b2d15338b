// Pages of lists in memory.
import { GatewayError } from '../errors.js'
import { say } from '../sentences/sentence.js'

export interface Page<T> {
  items: T[]
  truncated: boolean
  cursor?: string
  limit: number
}

export const LIMIT_DEFAULT = 500
/** Bytes of keys in a cursor: one always fits. As base64, they are less than the 512 characters that a cursor may have. */
const CURSOR_BYTES = 380

/**
 * Returns one page of `items`. The cursor names the last items of the previous page, as many as fit, so it stays valid
 * if items are added or removed: the page begins behind the last one that is still there. No key has a line break.
 */
export function pageOf<T>(
  items: readonly T[],
  query: { limit?: number; cursor?: string },
  keyOf: (item: T) => string,
): Page<T> {
  const limit = query.limit ?? LIMIT_DEFAULT
  const start = query.cursor === undefined ? 0 : placeBehind(items.map(keyOf), query.cursor)
  const page = items.slice(start, start + limit)
  const truncated = start + limit < items.length
  return { items: page, truncated, ...(truncated && page.length > 0 && { cursor: cursorOf(page.map(keyOf)) }), limit }
}

function placeBehind(keys: readonly string[], cursor: string): number {
  for (const last of Buffer.from(cursor, 'base64url').toString().split('\n')) {
    const at = keys.indexOf(last)
    if (at >= 0) return at + 1
  }
  const message = say('the cursor does not belong to this list; start again without a cursor')
  throw new GatewayError('cursor_invalid', message, { field: 'cursor' })
}

/** The last key first. */
function cursorOf(keys: readonly string[]): string {
  let text = keys.at(-1) ?? ''
  for (let at = keys.length - 2; at >= 0; at -= 1) {
    const longer = `${text}\n${keys[at]}`
    if (Buffer.byteLength(longer) > CURSOR_BYTES) break
    text = longer
  }
  return Buffer.from(text).toString('base64url')
}
