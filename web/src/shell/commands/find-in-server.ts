import * as api from '@tessera/client'
import { call, send } from '../../api/client'
import type { Index, Job, Namespace, RecordSet, SavedQuery } from '../../api/types'
import { kindLabel } from '../../components/jobs/job-state'
import { fitsInt64, isExactObject, parseExact } from '../../records/json'
import { keyOf, type RecordKey, recordsPath } from '../../records/key'
import { stringifySearch } from '../../search'
import type { Command } from './commands'
import { t } from '../../language/text'
import { jobTitle } from '../../components/jobs/job-title'

// What the palette finds beside its own commands. Each kind is bounded: a few namespaces are asked, and a few answers shown.

/** Namespaces that one search asks. */
const MOST_NAMESPACES = 6
/** Answers of a kind that are shown. */
export const MOST_FOUND = 6

const hasAll = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.toLowerCase().includes(word))

export const wordsOf = (typed: string): string[] => typed.toLowerCase().split(/\s+/).filter(Boolean)

/** Where sets are searched, and for which part of a name. Words that name a namespace choose it. */
export function setSearch(typed: string, namespaces: readonly string[]): { in: readonly string[]; q: string } {
  const words = wordsOf(typed)
  const isNamed = (name: string): boolean => words.some((word) => name.toLowerCase().includes(word))
  const named = namespaces.filter(isNamed)
  const other = words.find((word) => named.every((name) => !name.toLowerCase().includes(word)))
  // A word alone may be a part of both.
  if (words.length < 2 || named.length === 0) return { in: namespaces.slice(0, MOST_NAMESPACES), q: words[0] ?? '' }
  return { in: named.slice(0, MOST_NAMESPACES), q: other ?? words.at(-1) ?? '' }
}

/** The sets of a namespace whose names have a text. */
export async function findSets(ns: string, q: string, signal: AbortSignal): Promise<Command[]> {
  const { items } = await call(api.listSets, { path: { ns }, query: { q, limit: MOST_FOUND }, signal })
  return items.filter(({ name }) => name !== '').map((set) => setCommand(ns, set))
}

const setCommand = (ns: string, { name }: Pick<RecordSet, 'name'>): Command => ({
  name,
  group: 'Set',
  note: ns,
  run: (go) => go(`/records${stringifySearch({ ns, set: name })}`),
})

/** A key that is typed, and where it is to be looked for. */
export interface KeyAsked {
  text: string
  ns: string | undefined
  set: string | undefined
}

/** Reads `user:42`, `open record user:42`, and both with ` in shop` or ` in shop/events`. */
export function keyAsked(typed: string): KeyAsked {
  const [, text = '', ns, set] =
    /^(?:open\s+)?(?:record\s+)?(.+?)(?:\s+in\s+([\w.-]+)(?:\/([\w.-]*))?)?$/i.exec(typed.trim()) ?? []
  return { text, ns, set }
}

/** The records of a set that have this text as their key; one request, which no key fails. */
export async function findRecords(ns: string, set: string, text: string, signal: AbortSignal): Promise<Command[]> {
  const keys = [...(fitsInt64(text) ? [text] : []), JSON.stringify(text)]
  const response = await send('POST', `${recordsPath(ns, set).replace(/records$/, 'read')}?bins=`, {
    headers: { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' },
    body: `[${keys.join()}]`,
    signal,
  })
  return (await response.text())
    .split('\n')
    .filter((line) => line !== '')
    .map(parseExact)
    .filter((record) => isExactObject(record) && record['missing'] !== true && record['error'] === undefined)
    .flatMap((record) => keyOf(record) ?? [])
    .map((key) => recordCommand(ns, set, key))
}

const recordCommand = (ns: string, set: string, { text, type }: RecordKey): Command => ({
  name: t('Open record {text}', { text }),
  group: 'Record',
  note: set === '' ? ns : `${ns}/${set}`,
  run: (go) => go(`/records${stringifySearch({ ns, set, key: text, keytype: type })}`),
})

/** An index is found by its namespace, its name, its bin and its set. */
export const indexFound = ({ namespace: ns, name, bin = '', set = '' }: Index): Found => ({
  text: t('index {ns} {name} {bin} {set}', { ns, name, bin, set }),
  command: {
    name,
    group: 'Index',
    note: ns,
    run: (go) => go(`/indexes/${encodeURIComponent(ns)}/${encodeURIComponent(name)}`),
  },
})

/** A command and all that it is found by. */
export interface Found {
  text: string
  command: Command
}

export const found = (all: readonly Found[], words: readonly string[]): Command[] =>
  all.filter(({ text }) => hasAll(text, words)).map(({ command }) => command)

export const jobFound = ({ id, title, kind, state, namespace = '' }: Job): Found => ({
  text: t('job {id} {title} {kindLabel} {state} {namespace}', {
    id,
    title,
    kindLabel: kindLabel[kind],
    state,
    namespace,
  }),
  command: { name: jobTitle(title), group: 'Job', note: state, run: (go) => go(`/jobs${stringifySearch({ id })}`) },
})

export const savedFound = ({ id, name, namespace }: SavedQuery): Found => ({
  text: t('query {name} {namespace}', { name, namespace }),
  command: {
    name,
    group: 'Saved query',
    note: namespace,
    run: (go) => go(`/query${stringifySearch({ ns: namespace, saved: id })}`),
  },
})

/** Names of the namespaces that can be read, the biggest first. */
export const readable = (namespaces: readonly Namespace[]): string[] =>
  namespaces
    .filter(({ state }) => state === 'ready')
    .toSorted((a, b) => b.records - a.records)
    .map(({ name }) => name)
