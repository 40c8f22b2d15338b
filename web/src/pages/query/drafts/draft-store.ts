import { dropKept, getKept, parseKept, putKept, type Where } from '../../../kept'
import { adopt, arrive, type Draft, emptyWorkbench, MOST_CLOSED, type Workbench } from './drafts'
import { originOf } from './origin'
import type { QuerySearch } from '../search'

// All windows of this browser share the drafts of a person. Each window has its own selection.

const draftsOf = (owner: string): string => `tessera.query.drafts ${owner}`
const placeOf = (owner: string): string => `tessera.query.place ${owner}`
/** More than these are not ours. */
const MOST_KEPT = 1000

/** Where a window is. */
interface Place {
  /** The draft that it shows. */
  active?: number
  /** When it last came to an address that is not its own, as in `nowMs`. */
  sinceMs: number
  /** The address that it saw last. */
  address?: string
}

/**
 * The workbench of this window. It stays in memory while other pages are shown, even if the browser
 * does not store it.
 */
let bench = emptyWorkbench
/** id of the person whose workbench it is */
let owner = ''
/** the stored text that this window wrote or read last; a different text is from another window */
let known: string | null = null
let place: Place | undefined
/** keys that the browser refused to store last time */
const refused = new Set<string>()
const listeners = new Set<() => void>()
let changed: () => void = () => undefined

export const workbench = (): Workbench => bench

export const ownerOfWorkbench = (): string => owner

/** Whether this browser has drafts of a person. */
export const hasDrafts = (person: string): boolean =>
  (person === owner && bench !== emptyWorkbench) || readDrafts(getKept('localStorage', draftsOf(person))) !== undefined

/** Calls `listener` when this window has changed drafts. There is one listener. */
export function onOwnChange(listener: () => void): void {
  changed = listener
}

/** Takes up the workbench of a person, as this browser has it. */
export function takeUp(person: string): void {
  if (person === owner) return
  owner = person
  bench = emptyWorkbench
  known = null
  place = undefined
  refused.clear()
  takeOver()
  tell()
}

/** Removes what this browser has of a person, but for `rest`. */
export function forgetDrafts(person: string, rest: readonly Draft[]): void {
  if (rest.length > 0) putKept('localStorage', draftsOf(person), JSON.stringify({ drafts: rest, closed: [] }))
  else dropKept('localStorage', draftsOf(person))
  for (const where of ['localStorage', 'sessionStorage'] as const) dropKept(where, placeOf(person))
  if (person !== owner) return
  owner = ''
  bench = emptyWorkbench
  known = null
  place = undefined
}

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

/** Unix milliseconds, never behind an earlier one of this page. */
export const nowMs = (): number => performance.timeOrigin + performance.now()

/** Restores the workbench of its person, and shows the draft of the address. `writtenMs`: when the workbench wrote it; 0 if it did not. */
export function openWorkbench(address: QuerySearch, writtenMs: number): void {
  takeOver()
  const own = place ?? readPlace(getKept('sessionStorage', placeOf(owner)))
  // A new window shows the same draft as the last one.
  const active = (own ?? readPlace(getKept('localStorage', placeOf(owner))))?.active
  const shown = bench.drafts.find(({ id }) => id === active) ?? bench.drafts.at(-1)
  const left = { ...bench, active: shown?.id ?? bench.active }
  // The draft may be newer than the address, which follows it later. React may also ask twice in one load.
  const seen = textOfAddress(address)
  const follows = own?.address === seen || (place === undefined && isReload())
  const stays = own !== undefined && (writtenMs >= own.sinceMs || follows)
  become(stays ? left : arrive(left, address))
  keepPlace({ active: bench.active, sinceMs: stays ? own.sinceMs : nowMs(), address: seen })
}

const textOfAddress = ({ ns, request, saved }: QuerySearch): string => JSON.stringify([ns, request, saved])

/**
 * Whether the browser loads this page again. It may do so at an address that the page has just left, and forget that the
 * workbench wrote it.
 */
function isReload(): boolean {
  const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return load?.type === 'reload' && new URL(load.name).pathname === location.pathname
}

/** Shows the draft of another address, as in `openWorkbench`. A slow page sees late what the workbench wrote. */
export function comeTo(address: QuerySearch, writtenMs: number): void {
  const seen = textOfAddress(address)
  if (place !== undefined && writtenMs >= place.sinceMs) {
    keepPlace({ ...place, address: seen })
    return
  }
  keepPlace({ ...place, sinceMs: nowMs(), address: seen })
  updateWorkbench((now) => arrive(now, address))
}

/** Applies a change of this window for all windows. */
export function updateWorkbench(change: (bench: Workbench) => Workbench): void {
  // Do not overwrite changes of another window.
  const other = takeOver()
  const before = bench
  const next = change(before)
  if (other || next !== before) become(next)
}

/** Notes which draft this window shows. */
export const keepActive = (active: number): void => keepPlace({ sinceMs: nowMs(), ...place, active })

function keepPlace(next: Place): void {
  place = next
  const before = isKept()
  const text = JSON.stringify(place)
  put('localStorage', placeOf(owner), text)
  put('sessionStorage', placeOf(owner), text)
  if (isKept() !== before) tell()
}

function become(next: Workbench): void {
  const { drafts, closed } = next
  const own = drafts !== bench.drafts || closed !== bench.closed
  bench = next
  if (own) {
    const text = JSON.stringify({ drafts, closed })
    if (put('localStorage', draftsOf(owner), text)) known = text
    // There may be room again.
    if (place !== undefined && refused.size > 0) keepPlace(place)
    changed()
  }
  tell()
}

function follow(): void {
  if (takeOver()) tell()
}

/** Whether another window has written. */
function takeOver(): boolean {
  // Read the store, not the event: the event may be older than the last write of this window.
  const text = getKept('localStorage', draftsOf(owner))
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
  return { drafts: open.slice(0, MOST_KEPT), closed: gone.slice(0, MOST_CLOSED) }
}

function draftOf(value: unknown): Draft | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, ns, text, saved, key, from } = value as Record<string, unknown>
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined
  const draft = {
    id,
    ns: textOf(ns),
    text: textOf(text),
    saved: textOf(saved),
    ...(typeof key === 'string' && { key }),
    ...originOf(from),
  }
  return draft.text === undefined && draft.saved === undefined ? undefined : draft
}

function readPlace(text: string | null): Place | undefined {
  const value = parseKept(text)
  if (value === undefined) return undefined
  const { active, sinceMs, address } = value
  return {
    ...(typeof active === 'number' && { active }),
    // Without a time, no address is its own.
    sinceMs: typeof sinceMs === 'number' ? sinceMs : Infinity,
    ...(typeof address === 'string' && { address }),
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function put(where: Where, key: string, text: string): boolean {
  // Nobody is signed in any more.
  if (owner === '') return true
  const name = `${where} ${key}`
  const took = putKept(where, key, text)
  if (took) refused.delete(name)
  else refused.add(name)
  return took
}
