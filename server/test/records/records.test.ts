// Records go in and come out as they are: every type, every digit.
import { describe, expect, test } from 'vitest'
import { can } from '../contract.js'
import { useGateway } from '../gateway.js'

const json = { 'content-type': 'application/json' }

describe('records', () => {
  const gateway = useGateway()
  const base = '/api/v1/namespaces/data/sets/users/records'

  test('come back exactly', async () => {
    const { send, ok, newNamespace } = gateway()
    await newNamespace.call(gateway(), 'data')
    const bins =
      '{"max":9223372036854775807,"min":-9223372036854775808,"double":1.0,"tiny":5e-324,"text":"é\\u0000\\"","flag":true,' +
      '"list":[1,[2,{"a":null}]],"map":{"deep":{"er":[]}},"bytes":{"$bytes":"AAEC"}}'
    const put = await send(`PUT ${base}/ada`, { body: bins, headers: json })
    expect(put.status).toBe(201)
    expect(put.headers['etag']).toBe('"1"')

    const got = await send(`GET ${base}/ada`)
    expect(got.status).toBe(200)
    expect(got.headers).toMatchObject({ etag: '"1"', 'cache-control': 'no-store' })
    expect(got.headers['server-timing']).toMatch(/^core;dur=\d+\.\d+, gateway;dur=\d+\.\d+$/)
    expect(got.text).toContain('"max":9223372036854775807')
    expect(got.text).toContain('"min":-9223372036854775808')
    expect(got.text).toMatch(/"double":1(\.0|e0)/)
    expect(got.text).toContain('{"$bytes":"AAEC"}')
    const { updatedAt, digest, ...rest } = got.json<Record<string, string>>()
    expect(updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(rest).toMatchObject({ set: 'users', key: 'ada', generation: 1, expiresAt: null, bins: { text: 'é\0"' } })

    const byDigest = await send(`GET ${base}/${digest ?? ''}?keytype=digest&bins=flag`)
    expect(byDigest.json()).toMatchObject({ bins: { flag: true }, generation: 1 })
    expect(await ok(`GET ${base}/ada?bins=`)).toMatchObject({ bins: {} })
    expect(await ok(`GET ${base}/ada?bins=flag,absent`)).toMatchObject({ bins: { flag: true } })
    expect((await send(`HEAD ${base}/ada`)).headers['etag']).toBe('"1"')
  })

  test('a generation in a bin does not become the ETag', async () => {
    await gateway().put('data/sets/users/records/%22generation%22:99', { generation: 77, text: '"generation":55' })
    const got = await gateway().send(`GET ${base}/%22generation%22:99`)
    expect(got.headers['etag']).toBe('"1"')
    expect(got.json()).toMatchObject({ key: '"generation":99', bins: { generation: 77 } })
    await gateway().ok(`DELETE ${base}/%22generation%22:99`)
  })

  test.each([
    ['42', 'integer', '42'],
    ['-9007199254740993', 'integer', '-9007199254740993'],
    ['AAEC', 'bytes', '{"bytes":"AAEC"}'],
    ['_-8', 'bytes', '{"bytes":"/+8="}'],
    ['a%2Fb', 'string', '"a/b"'],
    ['%F0%9F%A6%80', 'string', '"🦀"'],
  ])('key %s of type %s', async (key, keytype, expected) => {
    const { send, ok } = gateway()
    const url = `${base}/${key}?keytype=${keytype}`
    await ok(`PUT ${url}`, { body: '{"n":1}', headers: json })
    const got = await send(`GET ${url}`)
    expect(got.status, got.text).toBe(200)
    expect(got.text).toContain(`"key":${expected}`)
    expect((await send(`DELETE ${url}`)).status).toBe(204)
    expect((await send(`DELETE ${url}`)).json()).toMatchObject({ code: 'record_not_found', status: 404 })
  })

  test('integer 1 and string "1" are two records', async () => {
    const { ok } = gateway()
    await ok(`PUT ${base}/1`, { body: '{"is":"string"}', headers: json })
    await ok(`PUT ${base}/1?keytype=integer`, { body: '{"is":"integer"}', headers: json })
    expect(await ok(`GET ${base}/1`)).toMatchObject({ bins: { is: 'string' } })
    expect(await ok(`GET ${base}/1?keytype=integer`)).toMatchObject({ bins: { is: 'integer' } })
    await ok(`DELETE ${base}/1`)
    await ok(`DELETE ${base}/1?keytype=integer`)
  })

  test('PUT replaces, PATCH merges and deletes bins', async () => {
    const { send, ok } = gateway()
    const url = `${base}/merge`
    expect((await send(`PATCH ${url}`, { body: { a: 1 } })).json()).toMatchObject({ code: 'record_not_found' })
    await ok(`PUT ${url}`, { body: { a: 1, b: 2 } })
    expect(await ok(`PATCH ${url}`, { body: { b: null, c: 3 } })).toMatchObject({ created: false, generation: 2 })
    expect(await ok(`GET ${url}`)).toMatchObject({ bins: { a: 1, c: 3 } })
    await ok(`PUT ${url}`, { body: { z: 1 } })
    expect((await ok<{ bins: object }>(`GET ${url}`)).bins).toEqual({ z: 1 })
    await ok(`DELETE ${url}`)
  })

  test('preconditions hold', async () => {
    const { send, ok } = gateway()
    const url = `${base}/guarded`
    const ifMatch = (generation: string) => ({ ...json, 'if-match': generation })
    expect((await send(`PUT ${url}`, { body: '{}', headers: ifMatch('*') })).json()).toMatchObject({
      code: 'generation_mismatch',
      status: 412,
    })
    expect((await send(`PUT ${url}`, { body: '{"a":1}', headers: { ...json, 'if-none-match': '*' } })).status).toBe(201)
    expect(
      (await send(`PUT ${url}`, { body: '{"a":2}', headers: { ...json, 'if-none-match': '*' } })).json(),
    ).toMatchObject({
      code: 'record_exists',
      status: 412,
    })
    expect((await send(`PUT ${url}`, { body: '{"a":2}', headers: ifMatch('"7"') })).json()).toMatchObject({
      code: 'generation_mismatch',
      status: 412,
    })
    expect((await send(`PUT ${url}`, { body: '{"a":2}', headers: ifMatch('"1"') })).headers['etag']).toBe('"2"')
    expect((await send(`PATCH ${url}`, { body: '{"a":3}', headers: ifMatch('"1"') })).status).toBe(412)
    expect((await send(`DELETE ${url}`, { headers: { 'if-match': '"1"' } })).status).toBe(412)
    expect(await ok(`GET ${url}`)).toMatchObject({ bins: { a: 2 } })
    expect((await send(`DELETE ${url}`, { headers: { 'if-match': '"2"' } })).status).toBe(204)
  })

  test('time to live', async () => {
    const { ok } = gateway()
    const url = `${base}/mortal`
    const begun = Date.now()
    await ok(`PUT ${url}?ttlSeconds=100`, { body: { a: 1 } })
    const first = await ok<{ expiresAt: string }>(`GET ${url}`)
    const expiresAt = Date.parse(first.expiresAt)
    expect(expiresAt).toBeGreaterThanOrEqual(begun + 99_000)
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 101_000)
    await ok(`PATCH ${url}?ttlSeconds=-2`, { body: { a: 2 } })
    expect((await ok<{ expiresAt: string }>(`GET ${url}`)).expiresAt).toBe(first.expiresAt)
    await ok(`PATCH ${url}?ttlSeconds=-1`, { body: { a: 3 } })
    expect(await ok(`GET ${url}`)).toMatchObject({ expiresAt: null })
    await ok(`DELETE ${url}`)
  })

  test('are read in pages, each once', async () => {
    const { ok } = gateway()
    const lines = Array.from({ length: 250 }, (_, i) => `{"key":${i},"bins":{"i":${i}}}`)
    const report = await ok(`POST /api/v1/namespaces/data/sets/paged/records`, {
      body: `${lines.join('\n')}\n`,
      headers: { 'content-type': 'application/x-ndjson' },
    })
    expect(report).toMatchObject({ written: 250, deleted: 0, rejected: [], rejectedTotal: 0 })
    const seen = new Set<number>()
    let cursor = ''
    let pages = 0
    for (;;) {
      const page = await ok<{ items: { bins: { i: number } }[]; truncated: boolean; cursor?: string; limit: number }>(
        `GET /api/v1/namespaces/data/sets/paged/records?limit=40${cursor}`,
      )
      pages += 1
      expect(page.limit).toBe(40)
      for (const { bins } of page.items) seen.add(bins.i)
      if (!page.truncated) break
      cursor = `&cursor=${encodeURIComponent(page.cursor ?? '')}`
    }
    expect(seen.size).toBe(250)
    expect(pages).toBe(7)
  })

  test.runIf(can('segments'))('are listed from a segment on, in the order of the whole list', async () => {
    const { ok } = gateway()
    const list = async (query: string): Promise<number[]> => {
      const keys: number[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const page = await ok<{ items: { bins: { i: number } }[]; cursor?: string }>(
          `GET /api/v1/namespaces/data/sets/paged/records?limit=40${query}${next}`,
        )
        keys.push(...page.items.map(({ bins }) => bins.i))
        cursor = page.cursor
      }
      return keys
    }
    const whole = await list('')
    const half = await list('&segment=8')
    expect(half.length).toBeGreaterThan(40)
    expect(half).toEqual(whole.slice(whole.length - half.length))
    expect(await list('&segment=0')).toEqual(whole)
    expect((await list('&segment=15')).length).toBeLessThan(half.length)
    expect(await list('&segment=8&from=0&keytype=integer')).toEqual(whole.slice(whole.indexOf(0)))
  })

  test('a batch takes the good lines, or with atomic=batch none', async () => {
    const { send, ok } = gateway()
    const url = `POST /api/v1/namespaces/data/sets/batch/records`
    const headers = { 'content-type': 'application/x-ndjson' }
    const body = '{"key":"a","bins":{"n":1}}\nnot json\n{"key":"b","bins":{"n":2}}\n{"bins":{}}\n'
    const none = await send(`${url}?atomic=batch`, { body, headers })
    expect(none.status).toBe(422)
    expect(none.json()).toMatchObject({ written: 0, rejectedTotal: 2 })
    expect(await ok('GET /api/v1/namespaces/data/size?set=batch')).toMatchObject({ records: 0 })
    const report = await ok<{ rejected: object[] }>(url, { body, headers })
    expect(report).toMatchObject({ written: 2, rejectedTotal: 2 })
    expect(report.rejected).toMatchObject([{ line: 2, code: 'json_invalid' }, { line: 4 }])
    const deleted = await ok(url, { body: '{"key":"a","op":"delete"}\n{"key":"zz","op":"delete"}\n', headers })
    expect(deleted).toMatchObject({ deleted: 1 })
  })
  test('many are read by key, in the order of the keys', async () => {
    const { send, ok } = gateway()
    const headers = { 'content-type': 'application/x-ndjson' }
    const lines = Array.from({ length: 600 }, (_, i) => `{"key":${i},"bins":{"i":${i},"pad":"${'x'.repeat(1000)}"}}`)
    await ok('POST /api/v1/namespaces/data/sets/many/records', { body: lines.join('\n'), headers })
    const url = 'POST /api/v1/namespaces/data/sets/many/read'
    const keys = Array.from({ length: 600 }, (_, i) => 599 - i)
    for (const [body, type] of [
      [keys.join('\n'), 'application/x-ndjson'],
      [JSON.stringify(keys), 'application/json'],
    ] as const) {
      const answer = await send(`${url}?bins=i`, { body, headers: { 'content-type': type } })
      expect(answer.headers['content-type']).toBe('application/x-ndjson')
      const found = answer.text.trimEnd().split('\n')
      expect(found.map((line) => (JSON.parse(line) as { bins: object }).bins)).toEqual(keys.map((i) => ({ i })))
    }
    const body = '"7" 7\n{"bytes":"AAEC"}\n9007199254740993\n'
    const mixed = (await send(url, { body, headers })).text.split('\n')
    expect(mixed[0]).toBe('{"key":"7","missing":true}')
    expect(JSON.parse(mixed[1] ?? '')).toMatchObject({ set: 'many', key: 7, generation: 1, bins: { i: 7 } })
    expect(mixed.slice(2)).toEqual([
      '{"key":{"bytes":"AAEC"},"missing":true}',
      '{"key":9007199254740993,"missing":true}',
      '',
    ])
    const empty = await send(url, { body: '[]', headers: { 'content-type': 'application/json' } })
    expect([empty.status, empty.text]).toEqual([200, ''])
    const spaced = await send(url, {
      body: `${' \n'.repeat(2000)}[7]`,
      headers: { 'content-type': 'application/json' },
    })
    expect(spaced.status).toBe(200)
    for (const [body, type, detail] of [
      [' \n', 'application/json', 'keys as JSON must be a list'],
      ['"7"', 'application/json', 'keys as JSON must be a list'],
      [' \n{"bytes":"AAEC"}', 'application/json', 'keys as JSON must be a list'],
      ['["7"] "8"', 'application/json', 'nothing may follow a list of keys'],
      ['["7"]\n"8"', 'application/x-ndjson', 'nothing may follow a list of keys'],
    ] as const) {
      const refused = await send(url, { body, headers: { 'content-type': type } })
      expect([refused.status, refused.json()]).toMatchObject([400, { code: 'key_invalid', detail, field: 'keys' }])
    }
  })
})

describe('records without a set', () => {
  const gateway = useGateway()
  const base = '/api/v1/namespaces/loose/records'
  const ndjson = { 'content-type': 'application/x-ndjson' }

  test('have the routes of those in a set, and never meet them', async () => {
    const { send, ok, newNamespace } = gateway()
    await newNamespace.call(gateway(), 'loose')
    await gateway().put('loose/sets/users/records/ada', { n: 1 })
    const created = await send(`PUT ${base}/ada`, { body: '{"n":9007199254740993}', headers: json })
    expect([created.status, created.headers['etag']]).toEqual([201, '"1"'])
    expect((await send(`PATCH ${base}/ada`, { body: '{"m":2}', headers: json })).headers['etag']).toBe('"2"')
    const got = await send(`GET ${base}/ada`)
    expect(got.text).toContain('"n":9007199254740993')
    expect(got.json()).toMatchObject({ set: '', key: 'ada', generation: 2 })
    expect(await ok('GET /api/v1/namespaces/loose/sets/users/records/ada')).toMatchObject({
      set: 'users',
      bins: { n: 1 },
    })
    expect(await ok(`POST ${base}`, { body: '{"key":7,"bins":{"n":7}}\n', headers: ndjson })).toMatchObject({
      written: 1,
    })
  })

  test('are listed, scanned, queried, exported and counted apart', async () => {
    const { send, ok } = gateway()
    const keys = (items: unknown): unknown[] => (items as { key: unknown }[]).map(({ key }) => key).toSorted()
    expect(keys((await ok(`GET ${base}`))['items'])).toEqual([7, 'ada'])
    const page = await ok(`GET ${base}?limit=1`)
    const rest = await ok(`GET ${base}?limit=1&cursor=${String(page['cursor'])}`)
    expect(keys([...(page['items'] as []), ...(rest['items'] as [])])).toEqual([7, 'ada'])
    for (const [verb, of, all] of [
      ['scan', 2, 3],
      ['query', 2, 3],
    ] as const) {
      const records = async (body: object): Promise<unknown[]> =>
        (await ok(`POST /api/v1/namespaces/loose/${verb}`, { body }))['records'] as unknown[]
      expect(await records({ set: '' })).toHaveLength(of)
      expect(await records({})).toHaveLength(all)
    }
    const file = await send('GET /api/v1/namespaces/loose/export?set=')
    expect(file.text.trim().split('\n')).toHaveLength(2)
    expect(file.headers['content-disposition']).toContain('loose.without-set.ndjson')
    expect(await ok('GET /api/v1/namespaces/loose/size?set=')).toMatchObject({ records: 2 })
  })

  test('are read many at once', async () => {
    const answer = await gateway().send('POST /api/v1/namespaces/loose/read', {
      body: '"ada"\n"none"\n',
      headers: ndjson,
    })
    expect(
      answer.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { set: '', key: 'ada' },
      { key: 'none', missing: true },
    ])
  })

  test('are deleted one by one', async () => {
    expect((await gateway().send(`DELETE ${base}/ada`)).status).toBe(204)
    expect((await gateway().send(`GET ${base}/ada`)).status).toBe(404)
    await gateway().ok('GET /api/v1/namespaces/loose/sets/users/records/ada')
  })
})
