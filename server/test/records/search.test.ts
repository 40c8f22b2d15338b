// Scan and query: pages, streams, plans, and exact numbers in filters.
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { can, plans } from '../contract.js'
import { type Records, storeCounted } from '../counted.js'
import { bearer, useGateway } from '../gateway.js'

describe('scan and query', () => {
  const gateway = useGateway({ defaultThreads: 2 })
  const scan = 'POST /api/v1/namespaces/n/scan'
  /** How many records were looked at, if those of other sets are not. */
  const scanned = (records: number) => (plans.meetsOnlyTheSet ? { scanned: records } : {})
  const ndjson = { accept: 'application/x-ndjson', 'content-type': 'application/json' }

  test('a scan answers a page of JSON with what it cost', async () => {
    const { ok } = gateway()
    await storeCounted(gateway(), 'x'.repeat(200))
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
    await gateway().newNamespace('void')
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
      const size = can('segments') ? { namespaceRecords: 3000, segments: 16 } : {}
      expect(plan).toMatchObject({ method: plans.allOfSet, ...size })
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

  test('aggregates answer figures instead of records', async () => {
    const { ok } = gateway()
    const aggregate = {
      records: { op: 'count' },
      total: { op: 'sum', bin: 'i' },
      kinds: { op: 'distinct', bin: 'pad' },
      wide: { op: 'histogram', bin: 'i', buckets: 2, min: 0, max: 3000 },
    }
    const expected = {
      records: { value: 3000 },
      total: { value: 4_498_500, numbers: 3000, others: 0, missing: 0 },
      kinds: { value: 1 },
      wide: {
        buckets: [
          { from: 0, to: 1500, count: 1500 },
          { from: 1500, to: 3000, count: 1500 },
        ],
        below: 0,
        above: 0,
      },
    }
    for (const route of ['query', 'scan']) {
      for (const accept of ['application/json', 'application/x-ndjson']) {
        const headers = { accept, 'content-type': 'application/json' }
        const answer = await ok(`POST /api/v1/namespaces/n/${route}`, {
          body: JSON.stringify({ set: 's', aggregate }),
          headers,
        })
        expect(answer).toMatchObject({ aggregate: expected, summary: { returned: 3000, ...scanned(3000) } })
      }
    }
    const job = await ok('POST /api/v1/jobs?wait=30s', {
      body: { kind: 'count', namespace: 'n', set: 's', aggregate, sample: { share: 1 } },
    })
    expect(job).toMatchObject({ state: 'done', result: { records: 3000, aggregate: expected } })
  })

  test('a column lies at a position in a list, under a key that holds a dot', async () => {
    const { ok } = gateway()
    await gateway().put('n/sets/dots/records/d', '{"payload":{"commits":[{"e.mail":"a@b"},{"e.mail":"c@d"}]}}')
    const mail = (at: number) => ({ bin: 'payload', path: ['commits', at, 'e.mail'], as: `at${at}` })
    const { records } = await ok<{ records: { bins: object }[] }>('POST /api/v1/namespaces/n/query', {
      body: { set: 'dots', select: [mail(0), mail(-1)] },
    })
    expect(records.map(({ bins }) => bins)).toEqual([{ at0: 'a@b', 'at-1': 'c@d' }])
  })

  test('expressions are tested, selected, added up, grouped and ordered by, with every digit of their numbers', async () => {
    const { ok } = gateway()
    for (const [at, [price, count]] of [
      [5, 3],
      [2.5, 2],
      [4, null],
    ].entries()) {
      await gateway().put(`n/sets/priced/records/e${at}`, JSON.stringify({ price, count, name: `Item ${at}` }))
    }
    const cost = '{"mul":["price",{"coalesce":["count",1]}]}'
    const query = (body: string) =>
      ok<{ records: { bins: object }[] }>('POST /api/v1/namespaces/n/query', {
        body: `{"set":"priced",${body}}`,
        headers: { 'content-type': 'application/json' },
      })
    const { records } = await query(
      `"where":{"expr":${cost},"op":"le","value":5},"order":{"expr":${cost}},"limit":5,` +
        `"select":["price",{"as":"cost","expr":${cost}},{"expr":{"upper":"name"},"as":"name"},{"expr":{"meta":"generation"}},` +
        '{"expr":{"sub":[9007199254740993,{"value":9007199254740992}]},"as":"one"}]',
    )
    expect(records.map(({ bins }) => bins)).toEqual([
      { price: 4, cost: 4, name: 'ITEM 2', generation: 1, one: 1 },
      { price: 2.5, cost: 5, name: 'ITEM 1', generation: 1, one: 1 },
    ])
    const half = `{"floor":{"div":[${cost},10]}}`
    const group = `"aggregate":{"cost":{"op":"sum","expr":${cost}}},"group":{"by":[{"expr":${half},"as":"tens"}]}`
    expect(await query(group)).toMatchObject({
      groups: [
        { by: { tens: 1 }, aggregate: { cost: { value: 15 } } },
        { by: { tens: 0 }, aggregate: { cost: { value: 9 } } },
      ],
    })
  })

  test('columns have a bound, and what is past it is named', async () => {
    const { ok, send } = gateway()
    const names = Array.from({ length: 257 }, (_, n) => `b${n}`)
    const query = 'POST /api/v1/namespaces/n/query'
    await ok(query, { body: { set: 's', select: names, limit: 1 } })
    const most = [...names.slice(0, 255), { bin: 'payload', path: 'a' }]
    await ok(query, { body: { set: 's', select: most, limit: 1 } })
    const { status, text } = await send(query, { body: { set: 's', select: [...most, 'one'] } })
    expect([status, JSON.parse(text)]).toMatchObject([
      400,
      { code: 'query_invalid', field: 'select', detail: 'select: must have at most 256 columns' },
    ])
  })

  test('a list is unnested into rows, whole and in pages', async () => {
    const { ok, send } = gateway()
    const commits = (n: number) =>
      Array.from({ length: n % 4 }, (_, at) => ({ sha: `${n}-${at}`, by: { name: `u${at}` } }))
    for (let n = 0; n < 20; n += 1) {
      await gateway().put(
        `n/sets/pushes/records/p${n}`,
        JSON.stringify({ id: n, payload: n % 5 === 0 ? 'none' : { commits: commits(n) } }),
      )
    }
    const body = { set: 'pushes', select: ['id'], unnest: { bin: 'payload', path: 'commits', as: 'commit' } }
    type Row = { item: number; bins: { id: number; commit: { sha: string } } }
    const rows: Row[] = []
    let cursor: string | undefined
    do {
      const page = await ok<{ records: Row[]; summary: Records['summary'] }>('POST /api/v1/namespaces/n/query', {
        body: { ...body, limit: 4, ...(cursor !== undefined && { cursor }) },
      })
      expect(page.records).toHaveLength(page.summary.returned)
      rows.push(...page.records)
      cursor = page.summary.cursor
    } while (cursor !== undefined)
    const expected = Array.from({ length: 20 }, (_, n) => (n % 5 === 0 ? [] : commits(n))).flat()
    expect(rows.map(({ bins }) => bins.commit.sha).toSorted()).toEqual(expected.map(({ sha }) => sha).toSorted())
    for (const { item, bins } of rows) expect(bins.commit.sha).toBe(`${bins.id}-${item}`)
    const who = { bin: 'commit', path: 'by.name', as: 'who' }
    const lines = await send('POST /api/v1/namespaces/n/query', {
      body: JSON.stringify({ ...body, select: [who] }),
      headers: ndjson,
    })
    const names = lines.text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { bins: object }).bins)
    expect(names).toHaveLength(expected.length)
    expect(names[0]).toEqual({ who: expect.stringMatching(/^u\d$/) })
  })

  test('groups have figures of their own, the greatest first', async () => {
    const { ok, send } = gateway()
    const unnest = { bin: 'payload', path: 'commits', as: 'commit' }
    const group = { by: [{ bin: 'commit', path: 'by.name', as: 'who' }], top: 2 }
    const body = { set: 'pushes', unnest, group }
    const figures = (who: string, value: number) => ({ by: { who }, aggregate: { records: { value } } })
    // Events 0 to 19 have n % 4 commits, but every fifth: 12, 8 and 4 of them have a first, second and third one.
    const expected = [figures('u0', 12), figures('u1', 8)]
    const query = 'POST /api/v1/namespaces/n/query'
    expect(await ok(query, { body })).toMatchObject({ groups: expected, others: 1, summary: { truncated: true } })
    const lines = await send(query, { body: JSON.stringify(body), headers: ndjson })
    expect(
      lines.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual(expected)
  })

  test('a sample is a part, the same for the same seed', async () => {
    const { ok } = gateway()
    const keys = async (sample: object, rest: object = {}) => {
      const page = await ok<Records>(scan, { body: { set: 's', sample, ...rest } })
      return page.records.map(({ key }) => key).toSorted((a, b) => a - b)
    }
    const some = await keys({ share: 0.1, seed: 7 })
    expect(some.length).toBeGreaterThan(150)
    expect(some.length).toBeLessThan(500)
    expect(await keys({ share: 0.1, seed: 7 }, { threads: 4 })).toEqual(some)
    expect(await keys({ share: 0.1, seed: 8 })).not.toEqual(some)
    // More than a page without a limit has.
    expect(await keys({ first: 1200 })).toHaveLength(1200)
  })

  test('metadata is asked as bins are', async () => {
    const { ok } = gateway()
    const count = async (where: object) => (await ok<Records>(scan, { body: { set: 's', limit: 5000, where } })).summary
    expect(await count({ meta: 'generation', op: 'gt', value: 1 })).toMatchObject({ returned: 0, ...scanned(3000) })
    expect(await count({ meta: 'updatedAt', op: 'gt', value: '2020-01-01T00:00:00.5Z' })).toMatchObject({
      returned: 3000,
    })
    expect(await count({ meta: 'key', op: 'in', value: [1, 2, '3'] })).toMatchObject({ returned: 2 })
    expect(await count({ meta: 'set', op: 'ne', value: 's' })).toMatchObject({ returned: 0 })
  })

  test('a truncation takes what was updated before a time', async () => {
    const { ok, send } = gateway()
    await gateway().newNamespace('old')
    await gateway().put('old/sets/s/records/1', '{"i":1}')
    const first = await ok<{ updatedAt: string }>('GET /api/v1/namespaces/old/sets/s/records/1')
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(first.updatedAt))
    await gateway().put('old/sets/s/records/2', '{"i":2}')
    const second = await ok<{ updatedAt: string }>('GET /api/v1/namespaces/old/sets/s/records/2')
    const before = { kind: 'truncate', namespace: 'old', set: 's', before: second.updatedAt }
    await ok('POST /api/v1/jobs?wait=30s', { body: before })
    expect((await send('GET /api/v1/namespaces/old/sets/s/records/1')).status).toBe(404)
    expect((await send('GET /api/v1/namespaces/old/sets/s/records/2')).status).toBe(200)
    const future = await send('DELETE /api/v1/namespaces/old/sets/s?before=2999-01-01T00:00:00Z')
    expect(future.json()).toMatchObject({ code: 'time_in_future', field: 'before' })
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(second.updatedAt))
    const done = await ok(`DELETE /api/v1/namespaces/old/sets/s?wait=30s&before=${new Date().toISOString()}`)
    expect(done).toMatchObject({ state: 'done', result: { records: 1 } })
  })

  test('the first row of a throttled scan is read while it runs', async () => {
    const { app, ok } = gateway()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/v1/namespaces/n/scan`
    const leave = new AbortController()
    const body = '{"set":"s","threads":1,"recordsPerSecond":1,"bins":["i"]}'
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
    const stream = await app.engine.scan('n', { set: 's', threads: 1, recordsPerSecond: 1, shape: 'record' })
    expect(await ok(`GET /api/v1/jobs/${stream.jobId}`)).toMatchObject({ kind: 'scan', state: 'running' })
    expect(await ok(`PATCH /api/v1/jobs/${stream.jobId}`, { body: { threads: 2, recordsPerSecond: 2 } })).toMatchObject(
      { threads: 2 },
    )
    await ok(`DELETE /api/v1/jobs/${stream.jobId}`)
    expect(await ok(`GET /api/v1/jobs/${stream.jobId}?wait=10s`)).toMatchObject({ state: 'aborted' })
    stream.abort()
  })
})
