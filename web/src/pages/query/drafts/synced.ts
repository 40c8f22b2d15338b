import type { OpenQuery } from '../../../api/types'
import { dropKept, getKept, parseKept, putKept } from '../../../kept'
import type { Base } from './merge-drafts'
import { originOf } from './origin'

/** What this browser knows of the server, over reloads. All its windows share it. */
export interface Synced extends Base {
  revision: number
  etag: string
}

const keyOf = (owner: string): string => `tessera.query.synced ${owner}`

/** What the browser refused to keep. */
const unkept = new Map<string, Synced>()

/** Undefined: the server was not read yet. */
export function readSynced(owner: string): Synced | undefined {
  const inMemory = unkept.get(owner)
  if (inMemory !== undefined) return inMemory
  const { revision, etag, items, sent } = parseKept(getKept('localStorage', keyOf(owner))) ?? {}
  if (typeof revision !== 'number' || typeof etag !== 'string' || !Array.isArray(items)) return undefined
  return { revision, etag, items: itemsOf(items), ...(Array.isArray(sent) && { sent: itemsOf(sent) }) }
}

export function writeSynced(owner: string, synced: Synced): void {
  if (putKept('localStorage', keyOf(owner), JSON.stringify(synced))) unkept.delete(owner)
  else unkept.set(owner, synced)
}

export function forgetSynced(owner: string): void {
  dropKept('localStorage', keyOf(owner))
  unkept.delete(owner)
}

const itemsOf = (items: unknown[]): OpenQuery[] => items.flatMap(itemOf)

function itemOf(value: unknown): OpenQuery[] {
  if (typeof value !== 'object' || value === null) return []
  const { key, namespace, request, saved, from } = value as Record<string, unknown>
  if (typeof key !== 'string') return []
  return [
    {
      key,
      ...(typeof namespace === 'string' && { namespace }),
      ...(typeof request === 'string' && { request }),
      ...(typeof saved === 'string' && { saved }),
      ...originOf(from),
    },
  ]
}
