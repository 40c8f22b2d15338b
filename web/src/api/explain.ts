import { readRequest, withMember } from '../records/request'
import { send } from './http'
import type { ScanPlan } from './types'

/** Asks for the plan instead of records; `body` is the request's JSON text. */
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
 * As `explainScan`, of a query or a stream; the plan's JSON text, as numbers among its terms have more digits than `JSON.parse`
 * keeps. With `analyze` the query is carried out, and the plan says what came of it.
 */
export async function explainQuery(
  ns: string,
  body: string,
  { of = 'query', analyze = false, signal }: ExplainOptions = {},
): Promise<string> {
  const path = `/api/v1/namespaces/${encodeURIComponent(ns)}/${of}`
  // As lines, so that the plan is that of the whole result, as the page runs it, and not of one page.
  const headers = { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' }
  const response = await send('POST', path, {
    headers,
    body: explaining(body, analyze ? '"analyze"' : 'true'),
    ...(signal && { signal }),
  })
  return response.text()
}

/** In the request itself, where it may stand already and say something else. */
function explaining(body: string, how: string): string {
  const request = readRequest(body)
  return request === undefined ? body : withMember(request, 'explain', how)
}
