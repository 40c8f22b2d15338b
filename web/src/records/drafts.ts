import { dropKept, getKept, parseKept, putKept } from '../kept'
import { type BinField, binTypes } from './bins'
import { type Edit, isExpiry } from './edit'
import { keyTypes, type RecordKey } from './key'

// What was typed into records and not saved. It outlives the page, the session and the gateway. All windows of a browser
// share it; the newest word for a record counts.

/** What an edit began from. */
export interface Base {
  etag: string
  generation: string
  /** a JSON object on one line */
  bins: string
}

export interface Draft {
  /** Unix milliseconds */
  at: number
  /** who typed it; nobody else is offered it */
  user: string
  /** unset for a new record */
  base: Base | undefined
  /** where a new record goes */
  place: { set: string | undefined; key: RecordKey } | undefined
  edit: Edit
}

/** Most drafts, and most characters of all together: half of what browsers allow. */
export const MOST_DRAFTS = 20
export const MOST_CHARS = 4_000_000

const LIST = 'tessera.record.drafts'
const nameOf = (id: string): string => `tessera.record.draft ${id}`

/** Identifies the record of a draft; without a key, the new record of a namespace. */
export const draftId = (ns: string, set: string | undefined, key: RecordKey | undefined): string =>
  JSON.stringify(key === undefined ? [ns] : [ns, set ?? '', key.type, key.text])

/** Keeps a draft; older ones of other records make room. Says whether the browser took it. */
export function keepDraft(id: string, draft: Draft): boolean {
  const text = textOf(draft)
  if (text.length > MOST_CHARS) {
    dropDraft(id)
    return false
  }
  // The newest last.
  const others = listed().filter((one) => one.id !== id)
  const list = [...others, { id, size: text.length }]
  const isTooMuch = (): boolean =>
    list.length > MOST_DRAFTS || list.reduce((sum, { size }) => sum + size, 0) > MOST_CHARS
  const forgetOldest = (): void => {
    const [oldest] = list.splice(0, 1)
    if (oldest !== undefined) dropKept('localStorage', nameOf(oldest.id))
  }
  while (isTooMuch()) forgetOldest()
  while (!putKept('localStorage', nameOf(id), text)) {
    if (list.length === 1) {
      dropDraft(id)
      return false
    }
    forgetOldest()
  }
  return putKept('localStorage', LIST, JSON.stringify(list))
}

export function readDraft(id: string, user: string): Draft | undefined {
  const draft = draftOf(getKept('localStorage', nameOf(id)))
  return draft?.user === user ? draft : undefined
}

export function dropDraft(id: string): void {
  dropKept('localStorage', nameOf(id))
  putKept('localStorage', LIST, JSON.stringify(listed().filter((one) => one.id !== id)))
}

function listed(): { id: string; size: number }[] {
  const list = parseKept(getKept('localStorage', LIST))
  if (!Array.isArray(list)) return []
  return list.filter(
    (one: { id?: unknown; size?: unknown } | null) => typeof one?.id === 'string' && typeof one.size === 'number',
  ) as { id: string; size: number }[]
}

/**
 * A line with all but the long texts, a line with the bins that it began from, then the JSON that was typed. Texts in the
 * first line would need more room, because each quote would be escaped.
 */
function textOf({ base, edit, ...rest }: Draft): string {
  const { text, ...shown } = edit
  const head = { ...rest, edit: shown, ...(base && { base: { etag: base.etag, generation: base.generation } }) }
  return [JSON.stringify(head), base?.bins ?? '', text].join('\n')
}

/** Reads a kept draft; undefined if it is none. */
function draftOf(kept: string | null): Draft | undefined {
  if (kept === null) return undefined
  const [first = '', bins = ''] = kept.split('\n', 2)
  const text = kept.slice(first.length + bins.length + 2)
  const head = parseKept(first)
  const { at, user, base, place } = head ?? {}
  const edit = editOf(head?.['edit'], text)
  if (typeof at !== 'number' || typeof user !== 'string' || edit === undefined) return undefined
  return { at, user, base: baseOf(base, bins), place: placeOf(place), edit }
}

interface Kept {
  [name: string]: unknown
}
const isKept = (value: unknown): value is Kept => typeof value === 'object' && value !== null
const isText = (value: unknown): value is string => typeof value === 'string'

function editOf(value: unknown, text: string): Edit | undefined {
  if (!isKept(value)) return undefined
  const { view, fields, expiry, seconds } = value
  if ((view !== 'form' && view !== 'json') || !Array.isArray(fields) || !isExpiry(expiry) || !isText(seconds))
    return undefined
  return { view, fields: fields.filter(isField), text, expiry, seconds }
}

const isField = (value: unknown): value is BinField =>
  isKept(value) && isText(value['name']) && isText(value['text']) && binTypes.some((type) => type === value['type'])

function baseOf(value: unknown, bins: string): Base | undefined {
  if (!isKept(value)) return undefined
  const { etag, generation } = value
  return isText(etag) && isText(generation) ? { etag, generation, bins } : undefined
}

function placeOf(value: unknown): Draft['place'] {
  if (!isKept(value) || !isKept(value['key'])) return undefined
  const { set, key } = value
  const { text, type } = key as Kept
  const known = keyTypes.find((one) => one === type)
  if (!isText(text) || known === undefined) return undefined
  return { set: isText(set) ? set : undefined, key: { text, type: known } }
}
