// The compatible data API, as scripts written for the Aerospike REST Gateway use it.
import { describe, expect, test, vi } from 'vitest'
import { useGateway } from '../gateway.js'

const json = { 'content-type': 'application/json' }

describe('/v1', () => {
  const gateway = useGateway()

  test('create, read, replace, merge, delete', async () => {
    const { send } = gateway()
    await gateway().newNamespace('test')
    for (const path of ['/v1/kvs/test/people/ada', '/v1/kvs/test/ada']) {
      expect((await send(`GET ${path}`)).json()).toEqual({ message: 'Record not found', inDoubt: false })
      expect((await send(`PUT ${path}`, { body: '{"a":1}', headers: json })).json()).toMatchObject({
        internalErrorCode: 2,
        inDoubt: false,
      })
      const created = await send(`POST ${path}`, { body: '{"a":1,"b":"x"}', headers: json })
      expect([created.status, created.text]).toEqual([201, ''])
      expect((await send(`POST ${path}`, { body: '{"a":1}', headers: json })).json()).toMatchObject({
        internalErrorCode: 5,
      })
      expect((await send(`GET ${path}`)).json()).toEqual({ generation: 1, ttl: -1, bins: { a: 1, b: 'x' } })
      expect((await send(`PATCH ${path}`, { body: '{"b":null,"c":2}', headers: json })).status).toBe(204)
      expect((await send(`GET ${path}?recordBins=c`)).json()).toMatchObject({ generation: 2, bins: { c: 2 } })
      expect((await send(`PUT ${path}`, { body: '{"z":1}', headers: json })).status).toBe(204)
      expect((await send(`GET ${path}`)).json()).toMatchObject({ generation: 3, bins: { z: 1 } })
      expect([(await send(`HEAD ${path}`)).status, (await send(`HEAD ${path}x`)).status]).toEqual([200, 404])
      expect((await send(`DELETE ${path}`)).status).toBe(204)
      expect((await send(`DELETE ${path}`)).status).toBe(404)
    }
  })

  test('policies', async () => {
    const { send } = gateway()
    const url = '/v1/kvs/test/people/policy'
    const put = (query: string, body = '{"a":1}', method = 'PUT') =>
      send(`${method} ${url}?${query}`, { body, headers: json })
    expect((await put('recordExistsAction=CREATE_ONLY')).status).toBe(204)
    expect((await put('recordExistsAction=CREATE_ONLY')).status).toBe(409)
    expect((await put('generationPolicy=EXPECT_GEN_EQUAL&generation=150')).json()).toMatchObject({
      internalErrorCode: 3,
    })
    expect((await put('generationPolicy=EXPECT_GEN_EQUAL&generation=1', '{"a":2}')).status).toBe(204)
    expect((await put('generationPolicy=EXPECT_GEN_GT&generation=9', '{"a":3}')).status).toBe(204)
    expect((await put('expiration=1000', '{"b":1}', 'PATCH')).status).toBe(204)
    const { ttl } = (await send(`GET ${url}`)).json<{ ttl: number }>()
    expect(ttl).toBeGreaterThan(900)
    expect(ttl).toBeLessThanOrEqual(1000)
    expect((await put('expiration=-1', '{"b":1}', 'PATCH')).status).toBe(204)
    expect((await send(`GET ${url}`)).json()).toMatchObject({ ttl: -1 })
    const stale = await send(`DELETE ${url}?generation=150&generationPolicy=EXPECT_GEN_EQUAL`)
    expect([stale.status, stale.json()['internalErrorCode']]).toEqual([409, 3])
  })

  test('key types', async () => {
    const { send } = gateway()
    for (const [key, type] of [
      ['42', 'INTEGER'],
      ['AAEC', 'BYTES'],
      ['k', 'STRING'],
    ]) {
      const url = `/v1/kvs/test/typed/${key ?? ''}?keytype=${type ?? ''}`
      expect((await send(`POST ${url}`, { body: '{"n":1}', headers: json })).status).toBe(201)
      expect((await send(`GET ${url}`)).status).toBe(200)
    }
    expect((await send('GET /v1/kvs/test/typed/x?keytype=INTEGER')).json()).toMatchObject({
      message: 'Invalid integer value: x',
    })
    expect((await send('GET /v1/kvs/test/typed/AAEC?keytype=DIGEST')).json()).toMatchObject({
      message: 'Digest must be 20 bytes long: AAEC',
    })
    expect((await send('GET /v1/kvs/test/typed/x?keytype=integer')).json()).toMatchObject({
      message: expect.stringContaining('valid choices are STRING, INTEGER, BYTES, DIGEST') as string,
    })
  })

  test('bin names of 16 bytes are refused', async () => {
    const { send } = gateway()
    const long = await send('POST /v1/kvs/test/people/long', { body: `{"${'b'.repeat(16)}":1}`, headers: json })
    expect(long.json()).toMatchObject({ internalErrorCode: 21 })
    expect(
      (await send('POST /v1/kvs/test/people/fits', { body: `{"${'b'.repeat(15)}":1}`, headers: json })).status,
    ).toBe(201)
  })

  test('scan in pages: 101 records, 10 a page, 11 requests', async () => {
    const { send } = gateway()
    for (let i = 0; i < 101; i += 1) await send(`POST /v1/kvs/test/paged/k${i}`, { body: `{"i":${i}}`, headers: json })
    const keys = new Set<string>()
    let requests = 0
    let token: string | undefined
    do {
      const page = (
        await send(
          `GET /v1/scan/test/paged?maxRecords=10${token === undefined ? '' : `&from=${encodeURIComponent(token)}`}`,
        )
      ).json<{
        records: { userKey: string; generation: number; ttl: number }[]
        pagination: { totalRecords: number; nextToken?: string }
      }>()
      requests += 1
      expect(page.pagination.totalRecords).toBe(page.records.length)
      for (const { userKey } of page.records) keys.add(userKey)
      token = page.pagination.nextToken
    } while (token !== undefined)
    expect([keys.size, requests]).toEqual([101, 11])
    const all = (await send('GET /v1/scan/test/paged?includeBinData=false')).json<{ records: { bins: unknown }[] }>()
    expect(all.records).toHaveLength(101)
  })

  test('indexes', async () => {
    const { send } = gateway()
    const body = { namespace: 'test', set: 'paged', name: 'byI', bin: 'i', type: 'NUMERIC' }
    const first = await send('POST /v1/index', { body })
    expect([first.status, first.text]).toEqual([202, ''])
    expect((await send('POST /v1/index', { body })).status).toBe(202)
    expect((await send('POST /v1/index', { body: { ...body, bin: 'j' } })).status).toBe(409)
    expect((await send('POST /v1/index', { body: { ...body, namespace: 'absent' } })).status).toBe(202)
    expect((await send('GET /v1/index?namespace=test')).json()).toMatchObject([
      { name: 'byI', set: 'paged', bin: 'i', type: 'NUMERIC' },
    ])
    expect((await send('GET /v1/index?namespace=absent')).status).toBe(404)
    const stats = (await send('GET /v1/index/test/byI')).json<Record<string, string>>()
    expect(stats['entries']).toBeTypeOf('string')
    expect((await send('GET /v1/index/test/none')).json()).toMatchObject({ internalErrorCode: 201 })
    expect((await send('DELETE /v1/index/test/byI')).status).toBe(202)
    expect((await send('DELETE /v1/index/test/byI')).status).toBe(202)
  })

  test('indexes of collections', async () => {
    const { send } = gateway()
    const body = { namespace: 'test', set: 'paged', name: 'lists', bin: 'l', type: 'STRING', collection_type: 'LIST' }
    for (let again = 0; again < 2; again += 1) expect((await send('POST /v1/index', { body })).status).toBe(202)
    expect((await send('POST /v1/index', { body: { ...body, collection_type: 'DEFAULT' } })).status).toBe(409)
    expect((await send('GET /v1/index?namespace=test')).json()).toMatchObject([{ ...body, type: 'NUMERIC' }])
    expect((await send('POST /v1/info', { body: ['sindex/test'] })).json()['sindex/test']).toMatch(
      /^ns=test:set=paged:indexname=lists:bin=l:type=numeric:indextype=list:state=(RW|WO);$/,
    )
    expect((await send('DELETE /v1/index/test/lists')).status).toBe(202)
  })

  test('a batch counts as one of each namespace that it names', async () => {
    const { app, send } = gateway()
    const recorded = vi.spyOn(app.engine, 'recordLatency')
    const read = (namespace: string) => ({ type: 'READ', key: { namespace, userKey: 'k' } })
    await send('POST /v1/batch', { body: [read('test'), read('test'), read('absent')] })
    expect((await send('POST /v1/batch', { body: [read('test'), null] })).status).toBe(400)
    expect(recorded.mock.calls.map(([namespace, op, , ok]) => [namespace, op, ok])).toEqual([
      ['test', 'batch', true],
      ['absent', 'batch', true],
    ])
    recorded.mockRestore()
  })

  test('a write whose outcome is unknown is in doubt, and one that was refused is not', async () => {
    const { app, send } = gateway()
    const fails = (code: string) =>
      Promise.reject(Object.assign(new Error(`it was ${code}`), { code, retryable: true }))
    const operate = vi.spyOn(app.engine, 'operateRecord')
    for (const [code, inDoubt] of [
      ['write_uncertain', true],
      ['cluster_unavailable', false],
    ] as const) {
      operate.mockImplementation(() => fails(code))
      const added = [{ operation: 'ADD', opValues: { bin: 'n', incr: 1 } }]
      const answer = await send('POST /v1/operate/test/s/k', { body: added })
      expect([answer.status, answer.json()]).toEqual([503, { message: `it was ${code}`, inDoubt }])
      const opsList = [{ type: 'ADD', binName: 'n', incr: 1 }]
      const item = { type: 'WRITE', key: { namespace: 'test', setName: 's', userKey: 'k' }, opsList }
      const batch = (await send('POST /v1/batch', { body: [item] })).json<{ batchRecords: object[] }>()
      expect(batch.batchRecords).toMatchObject([{ resultCode: 1, inDoubt }])
    }
    operate.mockRestore()
  })

  test('cluster and truncate', async () => {
    const { app, send } = gateway()
    expect((await send('GET /v1/cluster')).json()).toMatchObject({
      nodes: [{ name: expect.stringMatching(/^BB9[0-9A-F]{12}$/) as string }],
      namespaces: [{ name: 'test' }],
    })
    expect((await send('DELETE /v1/truncate/test/paged')).status).toBe(202)
    const job = (await app.engine.jobs()).items.find(({ kind }) => kind === 'truncate')
    await app.engine.waitJob(job?.id ?? '', 10_000)
    expect(app.engine.size('test', 'paged')).toBe(0)
    for (const date of ['yesterday', '2019-02-30T10:15:30Z', '2019-13-01T10:15:30Z'])
      expect((await send(`DELETE /v1/truncate/test?date=${date}`)).status).toBe(400)
    await gateway().put('test/sets/dated/records/a', '{"i":1}')
    for (const [date, left] of [
      ['2019-12-03T10:15:30%2B01:00', 1],
      [new Date(Date.now() + 1).toISOString(), 0],
    ] as const) {
      await expect.poll(() => Date.now()).toBeGreaterThanOrEqual(Date.parse(date.replace('%2B', '+')))
      expect((await send(`DELETE /v1/truncate/test/dated?date=${date}`)).status).toBe(202)
      const newest = (await app.engine.jobs()).items.find(({ kind }) => kind === 'truncate')
      await app.engine.waitJob(newest?.id ?? '', 10_000)
      expect(app.engine.size('test', 'dated')).toBe(left)
    }
    expect((await send('DELETE /v1/truncate/test?date=2999-12-03T10:15:30Z')).status).toBe(400)
  })
})
