import { send } from './http'
import type { QueryPlan, ScanPlan } from './types'

/** Asks for the plan instead of records; `body` is the request's JSON text. */
export async function explainScan(ns: string, body: string): Promise<ScanPlan> {
  return (await explain(ns, 'scan', body)) as ScanPlan
}

export async function explainQuery(ns: string, body: string): Promise<QueryPlan> {
  return (await explain(ns, 'query', body)) as QueryPlan
}

async function explain(ns: string, kind: 'scan' | 'query', body: string): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' }
  const response = await send('POST', `/api/v1/namespaces/${encodeURIComponent(ns)}/${kind}?explain=true`, {
    headers,
    body,
  })
  return response.json()
}
