// Pages of lists in memory.
import { GatewayError } from '../errors.js'

export interface Page<T> {
  items: T[]
  truncated: boolean
  cursor?: string
  limit: number
}

const LIMIT_DEFAULT = 500

/**
 * Returns one page of `items`. The cursor names the last item of the previous page, so it stays valid
 * if items are added or removed.
 */
export function pageOf<T>(
  items: readonly T[],
  query: { limit?: number; cursor?: string },
  keyOf: (item: T) => string,
): Page<T> {
  const limit = query.limit ?? LIMIT_DEFAULT
  let start = 0
  if (query.cursor !== undefined) {
    const last = Buffer.from(query.cursor, 'base64url').toString()
    start = items.findIndex((item) => keyOf(item) === last) + 1
    if (start === 0)
      throw new GatewayError(
        'cursor_invalid',
        'the cursor does not belong to this list; start again without a cursor',
        { field: 'cursor' },
      )
  }
  const page = items.slice(start, start + limit)
  const truncated = start + limit < items.length
  const last = page.at(-1)
  return {
    items: page,
    truncated,
    ...(truncated && last !== undefined && { cursor: Buffer.from(keyOf(last)).toString('base64url') }),
    limit,
  }
}
