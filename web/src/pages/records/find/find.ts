import { send } from '../../../api/client'
import { ApiProblem } from '../../../api/problem'
import { fitsInt64 } from '../../../records/json'
import { keyProblem, type RecordKey, recordPath } from '../../../records/key'

const DIGEST = /^[0-9a-f]{40}$/i

/** The records that a typed text may name, the likeliest first. */
export function keysOf(text: string): RecordKey[] {
  const types: RecordKey['type'][] = [
    ...(DIGEST.test(text) ? (['digest'] as const) : []),
    ...(fitsInt64(text) ? (['integer'] as const) : []),
    'string',
    // Padded or long: else each word would be looked up twice.
    ...(/^[\w+/-]{8,}={0,2}$/.test(text) && text.length % 4 === 0 ? (['bytes'] as const) : []),
  ]
  return types
    .map((type): RecordKey => ({ type, text: type === 'digest' ? text.toLowerCase() : text }))
    .filter((key) => keyProblem(key) === undefined)
}

/** The first of these records that exists; undefined if none does. */
export async function firstThere(
  ns: string,
  set: string,
  keys: readonly RecordKey[],
  signal: AbortSignal,
): Promise<RecordKey | undefined> {
  for (const key of keys) {
    const path = recordPath(ns, set, key)
    try {
      // Only its metadata: a record may be megabytes.
      const response = await send('GET', `${path}${path.includes('?') ? '&' : '?'}bins=`, { signal })
      await response.arrayBuffer()
      return key
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 404) throw error
    }
  }
  return undefined
}
