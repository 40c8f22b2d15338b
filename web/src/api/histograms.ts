import { send } from './client'

interface Histogram {
  buckets?: { from: number; to: number; count: number }[]
  above?: number
  missing?: number
}

interface Answer {
  aggregate: { size: Histogram; ttl: Histogram }
  summary: { scanned: number; elapsedMs: number }
}

/** Counts records by size and time to live, with a scan that does so. */
export async function countHistograms(ns: string, request: object) {
  const response = await send('POST', `/api/v1/namespaces/${encodeURIComponent(ns)}/scan`, {
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(request),
  })
  const { aggregate, summary } = (await response.json()) as Answer
  return { ...aggregate, scanned: summary.scanned, elapsedMs: summary.elapsedMs }
}
