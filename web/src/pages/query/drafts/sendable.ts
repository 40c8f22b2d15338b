import type { OpenQuery } from '../../../api/types'
import { type Draft, isBlank } from './drafts'
import { isSame, itemOf } from './merge-drafts'

// What fits on the server. The bounds are those of the API.

const ITEMS_MAX = 100
const BYTES_MAX = 512 * 1024
const NAMESPACE_MAX = 255
const SAVED_MAX = 64

export interface Sendable {
  items: readonly OpenQuery[]
  /** Those that do not fit stay in this browser. */
  left: readonly Draft[]
}

/** The queries to send. In place of one that does not fit, the server keeps what it has of it. */
export function sendable(drafts: readonly Draft[], before: readonly OpenQuery[]): Sendable {
  const own = drafts.flatMap((draft) => (draft.key === undefined ? [] : [{ draft, item: itemOf(draft, draft.key) }]))
  const sizes = new Map(own.map(({ item }) => [item.key, sizeOf(item)]))
  const fits = new Set(own.filter(({ item }) => isAllowed(item)).map(({ item }) => item.key))
  let bytes = sizeOf({ items: [] }) + own.reduce((sum, { item }) => sum + (fits.has(item.key) ? size(item.key) : 0), 0)
  // The longest first, so that few stay out.
  for (const key of [...fits].toSorted((a, b) => size(b) - size(a))) {
    if (bytes <= BYTES_MAX && fits.size <= ITEMS_MAX) break
    fits.delete(key)
    const kept = before.find((item) => item.key === key)
    bytes -= size(key) - (kept === undefined ? 0 : sizeOf(kept) + 1)
  }
  const items = own.flatMap(({ item }) => (fits.has(item.key) ? [item] : before.filter(({ key }) => key === item.key)))
  const left = own.filter(({ item }) => !items.some((one) => one.key === item.key && isSame(one, item)))
  return { items, left: left.map(({ draft }) => draft) }

  function size(key: string): number {
    return (sizes.get(key) ?? 0) + 1
  }
}

const isAllowed = ({ namespace = '', saved = 'x' }: OpenQuery): boolean =>
  namespace.length <= NAMESPACE_MAX && saved.length > 0 && saved.length <= SAVED_MAX

const sizeOf = (value: object): number => new TextEncoder().encode(JSON.stringify(value)).length

/** Whether both have the same queries, in any order. */
export function areSame(some: readonly OpenQuery[], others: readonly OpenQuery[]): boolean {
  const byKey = new Map(others.map((item) => [item.key, item]))
  return (
    some.length === others.length &&
    some.every((item) => {
      const other = byKey.get(item.key)
      return other !== undefined && isSame(item, other)
    })
  )
}

/** What no server has: drafts without a key that are not blank. */
export const unnamed = (drafts: readonly Draft[]): boolean =>
  drafts.some((draft) => draft.key === undefined && !isBlank(draft))
