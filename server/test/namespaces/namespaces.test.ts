import { describe, expect, test } from 'vitest'
import { useGateway } from '../gateway.js'

interface Named {
  name: string
}
interface Page {
  items: Named[]
  truncated: boolean
  cursor?: string
  limit: number
}

describe('namespaces', () => {
  const gateway = useGateway()

  test('are created, listed, changed and dropped', async () => {
    const { send, ok } = gateway()
    const created = await send('POST /api/v1/namespaces', {
      body: { name: 'events', storage: { engine: 'memory' }, segments: 64, defaultTtlSeconds: 0 },
    })
    expect(created.status).toBe(201)
    expect(created.headers['location']).toBe('/api/v1/namespaces/events')
    expect(created.json()).toMatchObject({
      name: 'events',
      state: 'ready',
      records: 0,
      config: { name: 'events', storage: { engine: 'memory' }, segments: 64 },
      capabilities: { setIndex: true, documentIndex: true },
    })
    expect(Date.parse(created.json<{ createdAt: string }>().createdAt)).toBeGreaterThan(Date.now() - 60_000)

    const again = await send('POST /api/v1/namespaces', { body: { name: 'events', storage: { engine: 'memory' } } })
    expect(again.status).toBe(409)
    expect(again.json()).toMatchObject({ code: 'namespace_exists', retryable: false })

    const changed = await ok('PATCH /api/v1/namespaces/events', { body: { defaultTtlSeconds: 3600 } })
    expect(changed).toMatchObject({ config: { defaultTtlSeconds: 3600 } })

    await gateway().put('events/sets/s/records/1', { a: 1 })
    expect(await ok('DELETE /api/v1/namespaces/events?dryRun=true')).toMatchObject({ records: 1 })
    expect(await ok('GET /api/v1/namespaces/events/size')).toEqual({ namespace: 'events', records: 1 })
    expect(await ok('DELETE /api/v1/namespaces/events')).toMatchObject({ records: 1 })
    expect((await send('GET /api/v1/namespaces/events')).json()).toMatchObject({
      status: 404,
      code: 'namespace_not_found',
    })
  })

  test('a change that lost a race is refused', async () => {
    const { send, ok } = gateway()
    await gateway().memoryNamespace('race')
    const etag = (await send('GET /api/v1/namespaces/race')).headers['etag'] ?? ''
    await ok('PATCH /api/v1/namespaces/race', { body: { defaultTtlSeconds: 1 }, headers: { 'if-match': etag } })
    const late = await send('PATCH /api/v1/namespaces/race', {
      body: { defaultTtlSeconds: 2 },
      headers: { 'if-match': etag },
    })
    expect(late.json()).toMatchObject({ status: 412, code: 'precondition_failed' })
    await ok('DELETE /api/v1/namespaces/race')
  })

  test('of two changes at once with the same ETag, one wins', async () => {
    const { send, ok } = gateway()
    await gateway().memoryNamespace('twice')
    const headers = { 'if-match': (await send('GET /api/v1/namespaces/twice')).headers['etag'] ?? '' }
    const change = (defaultTtlSeconds: number) =>
      send('PATCH /api/v1/namespaces/twice', { body: { defaultTtlSeconds }, headers })
    const statuses = (await Promise.all([change(1), change(2), change(3)])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 412, 412])
    await ok('DELETE /api/v1/namespaces/twice')
  })

  test('are listed in pages', async () => {
    const { ok } = gateway()
    const names = ['a1', 'a2', 'a3', 'a4', 'a5']
    for (const name of names) await gateway().memoryNamespace(name)
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const page = await ok<Page>(`GET /api/v1/namespaces?limit=2${cursor}`)
      expect(page.limit).toBe(2)
      seen.push(...page.items.map(({ name }) => name))
      if (!page.truncated) break
      cursor = `&cursor=${page.cursor ?? ''}`
    }
    expect(seen).toEqual(names)
    for (const name of names) await ok(`DELETE /api/v1/namespaces/${name}`)
  })

  test('segments add up to the size', async () => {
    const { ok } = gateway()
    await gateway().memoryNamespace('sums')
    for (let i = 0; i < 50; i += 1) await gateway().put(`sums/sets/s/records/${i}`, { i })
    const { items } = await ok<{ items: { records: number }[] }>('GET /api/v1/namespaces/sums/segments')
    expect(items).toHaveLength(16)
    expect(items.reduce((sum, { records }) => sum + records, 0)).toBe(50)
    expect(await ok('GET /api/v1/namespaces/sums/size?set=s')).toMatchObject({ set: 's', records: 50 })
    await ok('DELETE /api/v1/namespaces/sums')
  })
})

describe('a production instance', () => {
  const gateway = useGateway({ environment: 'production' })

  test('wants the name of what goes', async () => {
    const { send, ok } = gateway()
    await gateway().memoryNamespace('precious')
    await gateway().put('precious/sets/s/records/1', { a: 1 })
    for (const headers of [{}, { 'x-confirm': 'wrong' }]) {
      expect((await send('DELETE /api/v1/namespaces/precious', { headers })).json()).toMatchObject({
        code: 'confirm_required',
        status: 428,
      })
      expect((await send('DELETE /api/v1/namespaces/precious/sets/s', { headers })).json()).toMatchObject({
        code: 'confirm_required',
      })
      expect((await send('DELETE /v1/truncate/precious', { headers })).status).toBe(428)
    }
    expect(await ok('DELETE /api/v1/namespaces/precious?dryRun=true')).toMatchObject({ records: 1 })
    await ok('DELETE /api/v1/namespaces/precious', { headers: { 'x-confirm': 'precious' } })
  })
})
