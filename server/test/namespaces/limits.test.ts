// Limits of namespaces and sets: what is refused, how it shows, what makes room again.
import { describe, expect, test } from 'vitest'
import { useGateway } from '../gateway.js'

interface Limits {
  limits: { usedBytes: number; capacityBytes: number; writesStopped: boolean; reason?: string }
}

const text = 'x'.repeat(500)

describe('a namespace that is almost full', () => {
  const gateway = useGateway()
  const full = '/api/v1/namespaces/full'

  test('refuses what adds, says so everywhere, and goes on when there is room', async () => {
    const { send, ok } = gateway()
    const storage = { engine: 'memory', maxMemoryBytes: 1024 * 1024 }
    await ok('POST /api/v1/namespaces', { body: { name: 'full', storage, segments: 4, stopWritesPercent: 80 } })
    const put = (key: number) => send(`PUT ${full}/sets/s/records/${key}`, { body: { text } })
    let count = 0
    let refused = await put(count)
    while (refused.status < 300) refused = await put((count += 1))
    expect(refused.json()).toMatchObject({ status: 507, code: 'stop_writes', retryable: true })
    expect(refused.headers['retry-after']).toBeDefined()
    expect(count).toBeGreaterThan(1000)

    const { limits } = await ok<Limits>(`GET ${full}`)
    expect(limits).toMatchObject({ writesStopped: true, capacityBytes: 1024 * 1024 })
    expect(limits.reason).toMatch(/^Writes stopped: live records take 80\.\d% of the memory/)
    const status = await ok<{ health: string; healthy: boolean }>('GET /api/v1/status')
    expect(status.healthy).toBe(false)
    expect(status.health).toContain('full: Writes stopped: ')
    // Others are served, and so is this one but for writes that add.
    expect((await send('GET /readyz')).json()).toMatchObject({ ready: true, state: 'degraded' })
    expect((await send('GET /metrics')).text).toContain('tessera_writes_stopped{namespace="full"} 1')

    expect((await put(0)).status).toBe(200)
    const batch = `{"key":"0","bins":{"text":"y"}}\n{"key":"new","bins":{"text":"y"}}\n{"key":"1","op":"delete"}\n`
    expect(
      await ok(`POST ${full}/sets/s/records`, { body: batch, headers: { 'content-type': 'application/x-ndjson' } }),
    ).toMatchObject({ written: 1, deleted: 1, rejected: [{ line: 2, code: 'stop_writes' }] })

    expect(await ok(`PATCH ${full}`, { body: { stopWritesPercent: 95 } })).toMatchObject({
      config: { stopWritesPercent: 95 },
      limits: { writesStopped: false },
    })
    expect((await put(count)).status).toBeLessThan(300)
    expect(await ok('GET /api/v1/status')).toMatchObject({ healthy: true, health: 'Healthy' })
  })

  test('evicts what expires soonest', async () => {
    const { ok } = gateway()
    const storage = { engine: 'memory', maxMemoryBytes: 1024 * 1024 }
    await ok('POST /api/v1/namespaces', { body: { name: 'evict', storage, segments: 1, evictAtPercent: 10 } })
    for (let key = 0; key < 300; key += 1) {
      const ttl = key < 150 ? 1000 : 100_000
      await ok(`PUT /api/v1/namespaces/evict/sets/s/records/${key}?ttlSeconds=${ttl}`, { body: { text } })
    }
    const namespace = () =>
      ok<{ limits: { usedBytes: number; evictedRecords: number } }>('GET /api/v1/namespaces/evict')
    await expect.poll(async () => (await namespace()).limits.usedBytes).toBeLessThanOrEqual(104_857)
    await ok('GET /api/v1/namespaces/evict/sets/s/records/299')
    await expect.poll(async () => (await namespace()).limits.evictedRecords).toBeGreaterThan(90)
  })
})

describe('a set with limits', () => {
  const gateway = useGateway()
  const sets = '/api/v1/namespaces/n/sets'

  test('takes no more than they allow, until they are changed', async () => {
    const { send, ok } = gateway()
    await gateway().memoryNamespace('n')
    expect(await ok(`POST ${sets}`, { body: { name: 'few', limits: { maxRecords: 2 } } })).toMatchObject({
      limits: { maxRecords: 2, maxBytes: 0 },
    })
    const put = (key: number) => send(`PUT ${sets}/few/records/${key}`, { body: { text } })
    for (const key of [1, 2, 1]) expect((await put(key)).status).toBeLessThan(300)
    expect((await put(3)).json()).toMatchObject({ status: 507, code: 'set_quota' })
    const rows = await ok<{ rejected: number; inserted: number }>(
      `POST /api/v1/namespaces/n/import?set=few&format=ndjson&key=key`,
      {
        body: '{"key":"1","text":"a"}\n{"key":"9","text":"b"}\n',
        headers: { 'content-type': 'application/x-ndjson' },
      },
    )
    expect(rows).toMatchObject({ inserted: 0 })
    const changed = await send(`PATCH ${sets}/few`, { body: { limits: { maxRecords: 3 } } })
    expect([changed.status, changed.json()]).toMatchObject([200, { name: 'few', limits: { maxRecords: 3 } }])
    expect((await put(3)).status).toBeLessThan(300)
    const both = await send(`PATCH ${sets}/few?wait=10s`, { body: { index: true, limits: {} } })
    expect(both.status).toBe(202)
    expect(await ok(`GET ${sets}/few`)).toMatchObject({
      index: { state: 'on' },
      limits: { maxRecords: 0, maxBytes: 0 },
    })
  })
})
