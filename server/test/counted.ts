// Records that count themselves, and what a page of them looks like.
import { expect } from 'vitest'
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
  const lines = Array.from({ length: 3000 }, (_, i) => `{"i":${i},"pad":"${pad}"}`)
  // On a cluster an import has many writes in flight, and a batch has one.
  const report = await gateway.ok('POST /api/v1/namespaces/n/import?set=s&key=i&threads=16', {
    body: lines.join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  })
  expect(report).toMatchObject({ inserted: 3000 })
}
