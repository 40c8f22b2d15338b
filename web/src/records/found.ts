import { send } from '../api/client'
import { ApiProblem, streamBroken } from '../api/problem'
import { AnswerParts } from './answer-parts'
import { requestBody } from './body'
import type { RecordPage } from './client'
import { type Exact, isExactObject, parseExact } from './json'
import type { RecordKey } from './key'
import { orderText } from './request/request-fields'

/** How often a page hears of records that were found, milliseconds. */
const TELL_MS = 150

/** Which records of a set are listed, and in which order. */
export interface Asked {
  /** a filter as JSON text; empty: all records */
  where: string
  /** a bin or metadata, such as `@size`; unset: the order of the index */
  by: string | undefined
  desc: boolean
  /** the record that a list of the whole set begins at; unset: its first one */
  from?: RecordKey | undefined
  /** the segment that it begins at */
  segment?: number | undefined
}

/** Who hears of a page before it is whole. */
export interface Heard {
  /** all records of the page that were found so far */
  onPart: (items: readonly Exact[]) => void
  onJob: (id: string) => void
}

/** Whether the listing of a set has them as they are. */
export const isPlain = ({ where, by }: Asked): boolean => where === '' && by === undefined

/** The request of a query, JSON text. */
export function foundBody(set: string, { where, by, desc }: Asked, limit?: number, cursor?: string): string {
  const order = by === undefined ? '' : (orderText({ bin: by, path: '', desc }) ?? '')
  return requestBody({ set, limit, cursor }, { where, order })
}

export const queryPath = (ns: string): string => `/api/v1/namespaces/${encodeURIComponent(ns)}/query`

/** One page of a query. Its records are told while they are found; the cursor is known in the end. */
export async function readFound(
  ns: string,
  body: string,
  signal: AbortSignal,
  { onPart, onJob }: Heard,
): Promise<RecordPage> {
  const headers = { 'Content-Type': 'application/json' }
  const response = await send('POST', queryPath(ns), { headers, body, signal })
  const job = response.headers.get('x-job-id')
  if (job !== null) onJob(job)
  const parts = new AnswerParts()
  const items: Exact[] = []
  const decoder = new TextDecoder()
  let told = performance.now()
  try {
    const reader = response.body?.getReader()
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      items.push(...parts.push(decoder.decode(read.value, { stream: true })).map(parseExact))
      if (performance.now() - told < TELL_MS) continue
      told = performance.now()
      onPart(items.slice())
    }
    const end = parts.end()
    const summary = isExactObject(end) ? end['summary'] : undefined
    const cursor = isExactObject(summary) ? summary['cursor'] : undefined
    return { items, cursor: typeof cursor === 'string' ? cursor : undefined, truncated: cursor !== undefined }
  } catch (error) {
    throw error instanceof ApiProblem || signal.aborted ? error : streamBroken()
  }
}
