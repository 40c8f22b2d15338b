// Scan and query: pages, streams, plans, and exact numbers in filters.
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { bearer, useGateway } from './gateway.js'

interface Records {
  records: { key: number; bins: Record<string, unknown> }[]
  jobId: string
  summary: { returned: number; scanned: number; truncated: boolean; cursor?: string }
}

describe('scan and query', () => {
  const gateway = useGateway({ defaultThreads: 2 })
  const scan = 'POST /api/v1/namespaces/n/scan'
  const ndjson = { accept: 'application/x-ndjson', 'content-type': 'application/json' }

  test('a scan answers a page of JSON with what it cost', async () => {
    const { ok } = gateway()
    await gateway().memoryNamespace('n')
    const lines = Array.from({ length: 3000 }, (_, i) => `{"key":${i},"bins":{"i":${i},"pad":"${'x'.repeat(200)}"}}`)
    await ok('POST /api/v1/namespaces/n/sets/s/records', {
      body: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const seen = new Set<number>()
    let cursor: string | undefined
    do {
      const body = { set: 's', threads: 2, bins: ['i'], ...(cursor !== undefined && { cursor }) }
      const page: Records = await ok<Records>(scan, { body })
      expect(page.records).toHaveLength(page.summary.returned)
      for (const { bins } of page.records) seen.add(bins['i'] as number)
      cursor = page.summary.cursor
    } while (cursor !== undefined)
    expect(seen.size).toBe(3000)
  })

  test('or a stream of lines, all of them', async () => {
    const { send, ok } = gateway()
    const answer = await send(scan, { body: '{"set":"s"}', headers: ndjson })
    expect(answer.headers['content-type']).toBe('application/x-ndjson')
    const rows = answer.text.trimEnd().split('\n')
    expect(rows).toHaveLength(3000)
    expect(new Set(rows.map((row) => (JSON.parse(row) as { key: number }).key)).size).toBe(3000)
    const job = await ok(`GET /api/v1/jobs/${answer.headers['x-job-id'] ?? ''}`)
    expect(job).toMatchObject({ kind: 'scan', state: 'done', namespace: 'n', set: 's' })
  })

  test('a page with many chunks is one object', async () => {
    const page = await gateway().ok<Records>(scan, { body: { set: 's', limit: 3000 } })
    expect(page.records).toHaveLength(3000)
    expect(page.summary).toMatchObject({ returned: 3000 })
  })

  test('an empty scan is an empty page and an empty stream', async () => {
    const { send, ok } = gateway()
    await gateway().memoryNamespace('void')
    expect(await ok('POST /api/v1/namespaces/void/scan', { body: {} })).toMatchObject({
      records: [],
      summary: { returned: 0 },
    })
    const lines = await send('POST /api/v1/namespaces/void/scan', { body: '{}', headers: ndjson })
    expect([lines.status, lines.text]).toEqual([200, ''])
    expect((await send('GET /api/v1/namespaces/void/sets/none/records')).json()).toMatchObject({
      code: 'set_not_found',
    })
  })

  test('the plan comes before the run', async () => {
    const { ok } = gateway()
    for (const plan of [
      await ok(scan, { body: { set: 's', explain: true } }),
      await ok(`${scan}?explain=true`, { body: { set: 's' } }),
    ]) {
      expect(plan).toMatchObject({ namespaceRecords: 3000, segments: 16 })
      expect(plan['reason']).toBeTypeOf('string')
    }
  })

  test('a filter compares 64-bit integers exactly', async () => {
    const { ok } = gateway()
    await gateway().put('n/sets/big/records/a', '{"n":9007199254740992}')
    await gateway().put('n/sets/big/records/b', '{"n":9007199254740993}')
    const body = '{"set":"big","where":{"bin":"n","op":"eq","value":9007199254740993}}'
    for (const route of ['query', 'scan']) {
      const found = await ok<Records>(`POST /api/v1/namespaces/n/${route}`, {
        body,
        headers: { 'content-type': 'application/json' },
      })
      expect(found.records.map(({ key }) => key)).toEqual(['b'])
    }
  })

  test('the first row of a throttled scan is read while it runs', async () => {
    const { app, ok } = gateway()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/v1/namespaces/n/scan`
    const leave = new AbortController()
    const body = '{"set":"s","threads":1,"recordsPerSecond":5,"bins":["i"]}'
    const response = await fetch(url, { method: 'POST', headers: { ...bearer, ...ndjson }, body, signal: leave.signal })
    const first = await response.body?.getReader().read()
    const rows = Buffer.from(first?.value ?? []).toString()
    // 1000 rows fit in a chunk: one that waits until it is full has them all.
    expect(rows.split('\n')[0]).toContain('"bins":{"i":')
    expect(rows.split('\n').length).toBeLessThan(500)
    const job = `/api/v1/jobs/${response.headers.get('x-job-id') ?? ''}`
    expect(await ok(`GET ${job}`)).toMatchObject({ state: 'running' })
    leave.abort()
    expect(await ok(`GET ${job}?wait=10s`)).toMatchObject({ state: 'aborted' })
  })

  test('a throttled scan is slowed, watched, changed and aborted', async () => {
    const { app, ok } = gateway()
    const stream = app.engine.scan('n', { set: 's', threads: 1, recordsPerSecond: 10, shape: 'record' })
    expect(await ok(`GET /api/v1/jobs/${stream.jobId}`)).toMatchObject({ kind: 'scan', state: 'running' })
    expect(
      await ok(`PATCH /api/v1/jobs/${stream.jobId}`, { body: { threads: 2, recordsPerSecond: 20 } }),
    ).toMatchObject({ threads: 2 })
    await ok(`DELETE /api/v1/jobs/${stream.jobId}`)
    expect(await ok(`GET /api/v1/jobs/${stream.jobId}?wait=10s`)).toMatchObject({ state: 'aborted' })
    stream.abort()
  })
})
