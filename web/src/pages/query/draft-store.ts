import { arrive, type Draft, emptyWorkbench, MOST_CLOSED, MOST_DRAFTS, sameAddress, type Workbench } from './drafts'
import type { QuerySearch } from './search'

// Drafts are of this browser, and all its windows share them. Which one a window shows is its own.

export const DRAFTS = 'tessera.query.drafts'
const PLACE = 'tessera.query.place'

/** What a window showed last, and what its address said then. */
interface Place {
  active?: number
  address?: QuerySearch
}

/** The workbench as it was left, showing what the address says. */
export function loadWorkbench(address: QuerySearch): Workbench {
  const kept = readDrafts(get('localStorage', DRAFTS))
  const own = readPlace(get('sessionStorage', PLACE))
  // A window that is new shows what the last one did.
  const { active } = own ?? readPlace(get('localStorage', PLACE)) ?? {}
  const drafts = kept?.drafts ?? emptyWorkbench.drafts
  const shown = drafts.find(({ id }) => id === active) ?? drafts.at(-1)
  const bench = { ...emptyWorkbench, ...kept, active: shown?.id ?? emptyWorkbench.active }
  // The draft may be some letters ahead of the address that it wrote.
  const reloaded = own?.address !== undefined && sameAddress(own.address, address)
  return reloaded ? bench : arrive(bench, address)
}

let kept = true
const listeners = new Set<() => void>()

/** Whether the browser kept what it was given last. */
export const isKept = (): boolean => kept

/** Calls `listener` when that changes; answers what ends it. */
export function onKept(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function keepWorkbench({ drafts, closed, active }: Workbench, address: QuerySearch): void {
  const place = JSON.stringify({ active, address })
  const all = [
    put('localStorage', DRAFTS, JSON.stringify({ drafts, closed })),
    put('localStorage', PLACE, place),
    put('sessionStorage', PLACE, place),
  ].every(Boolean)
  if (all === kept) return
  kept = all
  for (const listener of listeners) listener()
}

/** What all windows keep, at this moment. */
export const keptDrafts = (): Pick<Workbench, 'drafts' | 'closed'> | undefined =>
  readDrafts(get('localStorage', DRAFTS))

/** Reads what was kept; undefined where it is not what this console writes. */
export function readDrafts(text: string | null): Pick<Workbench, 'drafts' | 'closed'> | undefined {
  const value = parse(text)
  const drafts = listOf(value?.['drafts']).map(draftOf)
  const closed = listOf(value?.['closed']).map(draftOf)
  const [open, gone] = [drafts.filter((one) => one !== undefined), closed.filter((one) => one !== undefined)]
  if (open.length === 0 || new Set([...open, ...gone].map(({ id }) => id)).size < open.length + gone.length)
    return undefined
  return { drafts: open.slice(0, MOST_DRAFTS), closed: gone.slice(0, MOST_CLOSED) }
}

function draftOf(value: unknown): Draft | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, ns, text, saved } = value as Record<string, unknown>
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined
  const draft = { id, ns: textOf(ns), text: textOf(text), saved: textOf(saved) }
  return draft.text === undefined && draft.saved === undefined ? undefined : draft
}

function readPlace(text: string | null): Place | undefined {
  const value = parse(text)
  if (value === undefined) return undefined
  const { active, address } = value
  const { ns, request, saved } = (typeof address === 'object' && address !== null ? address : {}) as Record<
    string,
    unknown
  >
  return {
    ...(typeof active === 'number' && { active }),
    address: { ns: textOf(ns), request: textOf(request), saved: textOf(saved) },
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function parse(text: string | null): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text ?? 'null') as unknown
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** A browser may refuse to keep anything, even to be asked, or be full. */
type Where = 'localStorage' | 'sessionStorage'

function get(where: Where, key: string): string | null {
  try {
    return globalThis[where].getItem(key)
  } catch {
    return null
  }
}

function put(where: Where, key: string, text: string): boolean {
  try {
    globalThis[where].setItem(key, text)
    return true
  } catch {
    return false
  }
}
