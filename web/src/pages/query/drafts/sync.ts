import { openQueries, sendOpenQueries, sendOpenQueriesLast } from '../../../api/open-queries'
import { ApiProblem, isConflict, problemText } from '../../../api/problem'
import type { OpenQueries } from '../../../api/types'
import { connection } from '../../../live/connection'
import { browserName } from '../../access/browser-name'
import {
  forgetDrafts,
  hasDrafts,
  onOwnChange,
  ownerOfWorkbench,
  takeUp,
  updateWorkbench,
  workbench,
} from './draft-store'
import { type Draft, freshId, isBlank, merged, type Workbench } from './drafts'
import { isSame, itemOf, mergeDrafts, withKeys } from './merge-drafts'
import { areSame, sendable, unnamed } from './sendable'
import { forgetSynced, readSynced, type Synced, writeSynced } from './synced'

// Keeps the drafts of a person on the server too, so that they are in each browser. This browser's own copy comes first:
// without the server it goes on, and is sent later.

/** A change is sent after a pause of so long, and at the latest after this time. */
const QUIET_MS = 800
const LATEST_MS = 5000
/** What could not be sent is tried again after these times. */
const AGAIN_MS = [2000, 5000, 15_000, 60_000]
/** Somebody else is faster each time only if something is wrong. */
const TRIES = 5
/** What was read this long ago is not read again. */
const FRESH_MS = 2000

export interface SyncState {
  /** The server was asked what is open, or has failed to say. */
  asked: boolean
  /** Why the server has not the latest; undefined: it has, or will have it in a moment. */
  problem: string | undefined
  /** Queries that are too long for the server. */
  tooLong: number
}

const idle: SyncState = { asked: false, problem: undefined, tooLong: 0 }
let state = idle
const listeners = new Set<() => void>()
let toldStranger: () => void = () => undefined

let timer: ReturnType<typeof setTimeout> | undefined
/** Unix milliseconds of the first change that is not sent. */
let sinceMs: number | undefined
let failures = 0
let running: Promise<void> | undefined
/** The page is left, and the last request is on its way. */
let leaving = false
let isListening = false
let readMs = -Infinity

export const syncState = (): SyncState => state

export function onSync(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function become(part: Partial<SyncState>): void {
  const next = { ...state, ...part }
  if (next.asked === state.asked && next.problem === state.problem && next.tooLong === state.tooLong) return
  state = next
  for (const listener of listeners) listener()
}

/**
 * Shows the drafts of a person, and reads what the server has. `onStranger`: the server takes this browser for somebody
 * else by now.
 */
export function begin(person: string, onStranger: () => void): void {
  toldStranger = onStranger
  if (person !== ownerOfWorkbench()) {
    stop()
    state = { ...idle, asked: hasDrafts(person) }
    takeUp(person)
  }
  listen()
  void sync(true)
}

function listen(): void {
  if (isListening) return
  isListening = true
  onOwnChange(changed)
  addEventListener('pagehide', flush)
  addEventListener('pageshow', ({ persisted }) => {
    leaving = false
    if (persisted) void sync(true)
  })
  // Another browser may have been used meanwhile.
  addEventListener('focus', () => {
    if (Date.now() - readMs > FRESH_MS) void sync(true)
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden' && sinceMs !== undefined && !leaving) void sync(false)
  })
  connection.onState(() => {
    if (connection.state === 'live' && state.problem !== undefined) void sync(true)
  })
}

function stop(): void {
  clearTimeout(timer)
  timer = undefined
  sinceMs = undefined
  failures = 0
}

function changed(): void {
  const nowMs = Date.now()
  sinceMs ??= nowMs
  later(Math.max(0, Math.min(QUIET_MS, sinceMs + LATEST_MS - nowMs)))
}

function later(ms: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void sync(false), ms)
}

/** Reads, if `reads`, and sends what the server does not have. Resolves when that is done, or has failed. */
export async function sync(reads: boolean): Promise<void> {
  clearTimeout(timer)
  timer = undefined
  // One after the other. What changed meanwhile is in the next one.
  const before = running
  const mine = (before ?? Promise.resolve()).then(() => locked(() => exchange(reads)))
  running = mine
  await mine
  if (running === mine) running = undefined
}

/** Windows of this browser take turns, if the browser can do that. Without it, two may send the same. */
async function locked(work: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: LockManager | null }
  if (locks == null) await work()
  // A page that is being left gets no turn. The next one sends what is left.
  else await locks.request('tessera.query.sync', work).catch(() => undefined)
}

async function exchange(reads: boolean): Promise<void> {
  const person = ownerOfWorkbench()
  if (person === '') return
  try {
    let synced = readSynced(person)
    // If it is not known whether the last one was taken, the server is asked.
    if (reads || synced === undefined || synced.sent !== undefined) synced = take(person, synced, await openQueries())
    for (let tries = 0; synced !== undefined && tries < TRIES; tries += 1) {
      const left = nextOf(synced)
      if (left === undefined) break
      synced = await send(person, { ...synced, sent: left })
    }
    failures = 0
    if (person === ownerOfWorkbench()) become({ asked: true, problem: undefined })
  } catch (error) {
    if (person !== ownerOfWorkbench()) return
    const gone = error instanceof ApiProblem && error.status === 401
    become({ asked: true, problem: gone ? undefined : problemText(error) })
    if (gone || !isPassing(error)) return
    later(AGAIN_MS[Math.min(failures, AGAIN_MS.length - 1)] ?? 0)
    failures += 1
  }
}

/** What the server lacks; undefined: nothing. */
function nextOf(synced: Synced): Synced['items'] | undefined {
  sinceMs = undefined
  if (unnamed(workbench().drafts))
    updateWorkbench((now) => ({ ...now, drafts: withKeys(now.drafts, synced.items, newKey) }))
  const { items, left } = sendable(workbench().drafts, synced.items)
  become({ tooLong: left.length })
  return areSame(items, synced.items) ? undefined : items
}

/** Sends `sent`. Undefined: the person has changed. */
async function send(person: string, synced: Synced & { sent: Synced['items'] }): Promise<Synced | undefined> {
  if (person !== ownerOfWorkbench()) return undefined
  writeSynced(person, synced)
  try {
    return keep(person, await sendOpenQueries(synced.sent, synced.etag))
  } catch (error) {
    // The request may have come twice, and the first have been taken: the merge looks at what was sent.
    if (isConflict(error)) return take(person, synced, await openQueries())
    // It was refused, so it is known not to be there.
    if (!isPassing(error)) writeSynced(person, { ...synced, sent: undefined })
    throw error
  }
}

/** Merges what the server has. Undefined: it is another person's. */
function take(person: string, before: Synced | undefined, now: OpenQueries & { etag: string }): Synced | undefined {
  if (person !== ownerOfWorkbench()) return undefined
  if (now.id !== person) {
    toldStranger()
    return undefined
  }
  // A server that has fewer revisions than before has lost some: it is as one that never had any.
  const isBehind = before !== undefined && now.revision < before.revision
  const base = before === undefined || isBehind ? { items: [] } : before
  const isFirst = before === undefined
  readMs = Date.now()
  updateWorkbench((bench) => {
    const own = isFirst ? withoutBlank(bench, now.items) : bench
    let id = freshId(bench) - 1
    const means = {
      from: { browser: browserName(navigator.userAgent), at: new Date().toISOString() },
      newKey,
      newId: () => (id += 1),
    }
    const result = mergeDrafts(base, own.drafts, now.items, means)
    const same = result.gone.length === 0 && isEqual(result.drafts, bench.drafts)
    return same ? bench : merged(own, result)
  })
  return keep(person, now)
}

/** A browser that knew nothing has one blank draft. It gives way to those of other browsers. */
function withoutBlank(bench: Workbench, items: OpenQueries['items']): Workbench {
  const [only] = bench.drafts
  const isFresh = only !== undefined && bench.drafts.length === 1 && only.key === undefined && only.ns === undefined
  return isFresh && isBlank(only) && items.length > 0 ? { ...bench, drafts: [] } : bench
}

const isEqual = (some: Workbench['drafts'], others: Workbench['drafts']): boolean =>
  some.length === others.length && some.every((draft, at) => draft === others[at])

function keep(person: string, { revision, items, etag }: OpenQueries & { etag: string }): Synced {
  const synced = { revision, etag, items }
  writeSynced(person, synced)
  return synced
}

/** Whether the same can succeed later. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiProblem) || error.status === 0 || error.status === 429 || error.status >= 500

const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The page is being left: what is not sent yet is sent without waiting for an answer. */
function flush(): void {
  const person = ownerOfWorkbench()
  if (sinceMs === undefined || running !== undefined || leaving || person === '') return
  const synced = readSynced(person)
  if (synced === undefined || synced.sent !== undefined) return
  const items = nextOf(synced)
  if (items === undefined) return
  leaving = true
  clearTimeout(timer)
  writeSynced(person, { ...synced, sent: items })
  sendOpenQueriesLast(items, synced.etag)
}

/** Before a sign-out: the server gets what it does not have. */
export async function settle(person: string): Promise<void> {
  if (!hasDrafts(person)) return
  begin(person, () => undefined)
  await sync(false)
}

/** After a sign-out: what the server has leaves this browser. */
export function forget(person: string): void {
  const synced = readSynced(person)
  takeUp(person)
  const { drafts } = workbench()
  const items = synced?.sent === undefined ? (synced?.items ?? []) : []
  const isThere = (draft: Draft): boolean =>
    items.some((item) => item.key === draft.key && isSame(item, itemOf(draft, item.key)))
  const rest = drafts.filter((draft) => !isBlank(draft) && !isThere(draft))
  stop()
  forgetDrafts(
    person,
    rest.map((draft) => ({ ...draft, key: undefined })),
  )
  forgetSynced(person)
  state = idle
}
