// Records that count themselves, and what a page of them looks like.
import type { Gateway } from './gateway.js'

/** A page of a scan or a query. */
export interface Records {
  records: { key: number; bins: Record<string, unknown> }[]
  jobId: string
  summary: { returned: number; scanned: number; truncated: boolean; cursor?: string }
}

/** Makes the namespace `n` with 3000 records in the set `s`, whose bin `i` is their key, beside a `pad`. */
export async function storeCounted(gateway: Gateway, pad = 'x'): Promise<void> {
  await gateway.newNamespace('n')
  const lines = Array.from({ length: 3000 }, (_, i) => `{"key":${i},"bins":{"i":${i},"pad":"${pad}"}}`)
  await gateway.ok('POST /api/v1/namespaces/n/sets/s/records', {
    body: lines.join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  })
}
