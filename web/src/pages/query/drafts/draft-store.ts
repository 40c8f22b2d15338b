import { getKept, parseKept, putKept, type Where } from '../../../kept'
import {
  adopt,
  arrive,
  type Draft,
  emptyWorkbench,
  MOST_CLOSED,
  MOST_DRAFTS,
  sameAddress,
  type Workbench,
} from './drafts'
import type { QuerySearch } from '../search'

// All windows of this browser share the drafts. Each window has its own selection.

const DRAFTS = 'tessera.query.drafts'
const PLACE = 'tessera.query.place'

/** The draft that a window showed last, at its address then or at one that it was about to have. */
interface Place {
  active?: number
  addresses: QuerySearch[]
}

/**
 * The workbench of this window. It stays in memory while other pages are shown, even if the browser
 * does not store it.
 */
let bench = emptyWorkbench
/** the stored text that this window wrote or read last; a different text is from another window */
let known: string | null = null
let place: Place | undefined
/** keys that the browser refused to store last time */
const refused = new Set<string>()
const listeners = new Set<() => void>()

export const workbench = (): Workbench => bench

/** Whether the browser stored the last write. */
export const isKept = (): boolean => refused.size === 0

/** Calls `listener` when the workbench changes, also in another window. Returns the function that stops it. */
export function onWorkbench(listener: () => void): () => void {
  listeners.add(listener)
  // A window that slept, or comes back from the history, missed the events.
  for (const type of ['storage', 'focus', 'pageshow']) addEventListener(type, follow)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) for (const type of ['storage', 'focus', 'pageshow']) removeEventListener(type, follow)
  }
}

/** Restores the workbench with the draft of the address, which may be its own. Returns the address. */
export function openWorkbench(address: QuerySearch, isOwn: boolean): QuerySearch {
  takeOver()
  const own = place ?? readPlace(getKept('sessionStorage', PLACE))
  // A new window shows the same draft as the last one.
  const active = (own ?? readPlace(getKept('localStorage', PLACE)))?.active
  const shown = bench.drafts.find(({ id }) => id === active) ?? bench.drafts.at(-1)
  const left = { ...bench, active: shown?.id ?? bench.active }
  // The draft may be newer than the address that it wrote.
  const reloaded = own !== undefined && (isOwn || own.addresses.some((one) => sameAddress(one, address)))
  become(reloaded ? left : arrive(left, address))
  return address
}

/** Applies a change of this window for all windows. */
export function updateWorkbench(change: (bench: Workbench) => Workbench): void {
  // Do not overwrite changes of another window.
  const other = takeOver()
  const before = bench
  const next = change(before)
  if (other || next !== before) become(next)
}

/** Notes which draft this window shows, at its address or at one that it has asked for. */
export function keepPlace(active: number, addresses: QuerySearch[]): void {
  place = { active, addresses }
  const before = isKept()
  const text = JSON.stringify(place)
  put('localStorage', PLACE, text)
  put('sessionStorage', PLACE, text)
  if (isKept() !== before) tell()
}

function become(next: Workbench): void {
  const { drafts, closed } = next
  const own = drafts !== bench.drafts || closed !== bench.closed
  bench = next
  if (own) {
    const text = JSON.stringify({ drafts, closed })
    if (put('localStorage', DRAFTS, text)) known = text
  }
  tell()
}

function follow(): void {
  if (takeOver()) tell()
}

/** Whether another window has written. */
function takeOver(): boolean {
  // Read the store, not the event: the event may be older than the last write of this window.
  const text = getKept('localStorage', DRAFTS)
  if (text === known) return false
  known = text
  const stored = readDrafts(text)
  if (stored !== undefined) bench = adopt(bench, stored)
  return stored !== undefined
}

function tell(): void {
  for (const listener of listeners) listener()
}

/** Reads the stored workbench; undefined if it is not valid. */
export function readDrafts(text: string | null): Pick<Workbench, 'drafts' | 'closed'> | undefined {
  const value = parseKept(text)
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
  const value = parseKept(text)
  if (value === undefined) return undefined
  const { active, addresses } = value
  return { ...(typeof active === 'number' && { active }), addresses: listOf(addresses).map(readAddress) }
}

function readAddress(value: unknown): QuerySearch {
  const { ns, request, saved } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  return { ns: textOf(ns), request: textOf(request), saved: textOf(saved) }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function put(where: Where, key: string, text: string): boolean {
  const name = `${where} ${key}`
  const took = putKept(where, key, text)
  if (took) refused.delete(name)
  else refused.add(name)
  return took
}
