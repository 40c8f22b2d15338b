import { readRequest, withMember } from '../records/request/request'
import { send } from './client'
import type { ScanPlan } from './types'

/** Requests the plan instead of records; `body` is the request's JSON text. */
export async function explainScan(ns: string, body: string): Promise<ScanPlan> {
  const path = `/api/v1/namespaces/${encodeURIComponent(ns)}/scan?explain=true`
  const response = await send('POST', path, { headers: { 'Content-Type': 'application/json' }, body })
  return (await response.json()) as ScanPlan
}

export interface ExplainOptions {
  of?: 'query' | 'stream'
  analyze?: boolean
  signal?: AbortSignal
}

/**
 * Like `explainScan`, for a query or a stream. Returns JSON text, because `JSON.parse` would round numbers in the terms.
 * With `analyze` the query runs, and the plan has its results.
 */
export async function explainQuery(
  ns: string,
  body: string,
  { of = 'query', analyze = false, signal }: ExplainOptions = {},
): Promise<string> {
  const path = `/api/v1/namespaces/${encodeURIComponent(ns)}/${of}`
  // Request NDJSON: the plan is then for the whole result, as the page runs it, not for one page of JSON.
  const headers = { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' }
  const response = await send('POST', path, {
    headers,
    body: explaining(body, analyze ? '"analyze"' : 'true'),
    ...(signal && { signal }),
  })
  return response.text()
}

/** Sets `explain` in the request itself, which may already have another value. */
function explaining(body: string, how: string): string {
  const request = readRequest(body)
  return request === undefined ? body : withMember(request, 'explain', how)
}
