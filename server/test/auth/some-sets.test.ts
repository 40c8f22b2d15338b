// A caller who has only some sets of a namespace: what they read, and what they cannot find out.
import { beforeAll, describe, expect, test } from 'vitest'
import { useGateway } from '../gateway.js'

interface Summary {
  scanned: number
  cursor?: string
}

describe('some sets of a namespace', () => {
  const gateway = useGateway()
  let token = ''
  const send = (line: string, body?: object) =>
    gateway().send(line, { headers: { authorization: `Bearer ${token}` }, ...(body !== undefined && { body }) })

  beforeAll(async () => {
    const { ok } = gateway()
    await gateway().memoryNamespace('shop')
    for (let at = 0; at < 20; at += 1) {
      await gateway().put(`shop/sets/us-1/records/k${at}`, { a: at })
      if (at < 5) await gateway().put(`shop/sets/eu-1/records/k${at}`, { a: at })
    }
    await ok('POST /api/v1/namespaces/shop/indexes?wait=10s', {
      body: { name: 'us-ix', bin: 'a', kind: 'range', set: 'us-1' },
    })
    const grants = [{ role: 'writer', namespace: 'shop', setPrefix: 'eu-' }]
    ;({ token } = await ok<{ token: string }>('POST /api/v1/tokens', { body: { name: 'eu', grants } }))
  })

  test('a scan tells nothing of other sets, page by page', async () => {
    const keys: unknown[] = []
    for (let cursor: string | undefined, pages = 0; pages < 5; pages += 1) {
      const body = { set: 'eu-1', limit: 2, ...(cursor !== undefined && { cursor }) }
      const answer = await send('POST /api/v1/namespaces/shop/scan', body)
      expect(answer.status, answer.text).toBe(200)
      const { records, summary } = answer.json<{ records: { key: string }[]; summary: Summary }>()
      keys.push(...records.map(({ key }) => key))
      expect(summary.scanned).toBe(records.length)
      cursor = summary.cursor
      if (cursor === undefined) break
    }
    expect(keys.toSorted()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4'])
  })

  test('a cursor of somebody who sees all is no cursor of theirs, nor the other way', async () => {
    const body = { set: 'eu-1', limit: 2 }
    const line = 'POST /api/v1/namespaces/shop/scan'
    const whole = await gateway().ok<{ summary: Summary }>(line, { body })
    const some = (await send(line, body)).json<{ summary: Summary }>()
    expect((await send(line, { ...body, cursor: whole.summary.cursor })).json()).toMatchObject({
      code: 'cursor_invalid',
    })
    const other = await gateway().send(line, { body: { ...body, cursor: some.summary.cursor } })
    expect(other.json()).toMatchObject({ code: 'cursor_invalid' })
  })

  test.each<[string, object | undefined]>([
    ['POST /api/v1/namespaces/shop/scan', {}],
    ['POST /api/v1/namespaces/shop/scan', { set: '' }],
    ['POST /api/v1/namespaces/shop/scan', { set: 'us-1' }],
    ['POST /api/v1/namespaces/shop/scan', { set: 'eu-1', explain: true }],
    ['POST /api/v1/namespaces/shop/query', { set: 'eu-1', explain: 'analyze' }],
    ['POST /api/v1/namespaces/shop/query', { set: 'eu-1', useIndex: 'us-ix', where: { bin: 'a', op: 'eq', value: 1 } }],
    ['POST /api/v1/namespaces/shop/query', { set: 'eu-1', useIndex: 'none', where: { bin: 'a', op: 'eq', value: 1 } }],
    ['GET /api/v1/namespaces/shop/size', undefined],
    ['GET /api/v1/namespaces/shop', undefined],
    ['GET /api/v1/namespaces/shop/export', undefined],
    ['GET /api/v1/namespaces/shop/sets/us-1', undefined],
    [
      'GET /api/v1/namespaces/shop/sets/eu-1/records/0000000000000000000000000000000000000000?keytype=digest',
      undefined,
    ],
    ['GET /v1/kvs/shop/eu-1/0000000000000000000000000000000000000000?keytype=DIGEST', undefined],
    ['GET /v1/scan/shop', undefined],
    ['GET /ycsb/shop/us-1/k1', undefined],
  ])('%s %j is refused', async (line, body) => {
    const { status, text } = await send(line, body)
    expect([status, text]).toEqual([403, expect.stringContaining('needs the role')])
  })

  test('lists have their sets only, and no other index is found', async () => {
    const sets = (await send('GET /api/v1/namespaces/shop/sets')).json<{ items: { name: string }[] }>()
    expect(sets).toMatchObject({ items: [{ name: 'eu-1' }], total: { sets: 1 } })
    expect((await send('GET /api/v1/namespaces/shop/sets?q=us')).json()).toMatchObject({
      items: [],
      total: { sets: 0 },
    })
    expect((await send('GET /api/v1/namespaces/shop/sets?prefix=us')).json()).toMatchObject({ items: [] })
    expect((await send('GET /api/v1/namespaces/shop/indexes')).json()).toMatchObject({ items: [] })
    const [known, unknown] = await Promise.all(
      ['us-ix', 'no-ix'].map((name) => send(`GET /api/v1/namespaces/shop/indexes/${name}`)),
    )
    expect([known?.status, unknown?.status]).toEqual([404, 404])
    expect(known?.json()['detail']).toBe(String(unknown?.json()['detail']).replace('no-ix', 'us-ix'))
    for (const line of ['GET /api/v1/jobs', 'GET /api/v1/slow'])
      expect((await send(line)).json()).toMatchObject({ items: [] })
  })

  test('the namespace is listed with its name and their sets, and nothing else', async () => {
    await gateway().memoryNamespace('other')
    const list = await send('GET /api/v1/namespaces')
    expect(list.json()).toEqual({
      items: [],
      truncated: false,
      limit: 500,
      partial: [{ name: 'shop', sets: ['eu-1'] }],
    })
    const all = await gateway().ok<{ items: { name: string }[] }>('GET /api/v1/namespaces')
    expect(all.items.map(({ name }) => name).toSorted()).toEqual(['other', 'shop'])
    expect(all).not.toHaveProperty('partial')
  })

  test('items of a batch stand for themselves', async () => {
    const read = (setName: string, more = {}) => ({
      type: 'READ',
      readAllBins: true,
      key: { namespace: 'shop', setName, userKey: 'k1', ...more },
    })
    const digest = { keytype: 'DIGEST', userKey: '0000000000000000000000000000000000000000' }
    const items = [read('eu-1'), read('us-1'), read('', {}), read('eu-1', digest), read('eu-1', { namespace: 'none' })]
    const { batchRecords } = (await send('POST /v1/batch', items as never)).json<{
      batchRecords: { resultCode: number }[]
    }>()
    expect(batchRecords.map(({ resultCode }) => resultCode)).toEqual([0, 81, 81, 81, 20])
  })

  test('an import goes into their sets, and its job is theirs', async () => {
    const upload = (set: string) =>
      gateway().send(`POST /api/v1/namespaces/shop/import${set}`, {
        body: '{"set":"us-1","key":"new","a":1}\n',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      })
    expect([(await upload('')).status, (await upload('?set=us-1')).status]).toEqual([403, 403])
    const { jobId } = (await upload('?set=eu-2')).json<{ jobId: string }>()
    expect((await send(`GET /api/v1/jobs/${jobId}`)).json()).toMatchObject({ kind: 'import', set: 'eu-2' })
    const beside = await gateway().send('GET /api/v1/namespaces/shop/sets/us-1/records/new')
    expect(beside.json()).toMatchObject({ code: 'record_not_found' })
  })
})
