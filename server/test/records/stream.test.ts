// Streams: steps over records, in each form of the answer.
import { beforeAll, describe, expect, test } from 'vitest'
import { can } from '../contract.js'
import { storeCounted } from '../counted.js'
import { useGateway } from '../gateway.js'
import { isLong } from '../long.js'

interface Streamed {
  rows: Record<string, unknown>[]
  groups: { by: Record<string, unknown>; aggregate: Record<string, { value: number }> }[]
  count: number
  reduce: Record<string, { value: number }>
  others: number
  jobId: string
  summary: { returned: number; scanned: number; truncated: boolean; method: string }
}

describe('streams', () => {
  const gateway = useGateway({ defaultThreads: 2 })
  const stream = 'POST /api/v1/namespaces/n/stream'
  const ndjson = { accept: 'application/x-ndjson', 'content-type': 'application/json' }
  const under = (n: number) => ({ filter: { bin: 'i', op: 'lt', value: n } })
  const ask = (steps: unknown, more: object = {}) =>
    gateway().ok<Streamed>(stream, { body: { set: 's', steps, ...more } })
  const lines = async (steps: unknown) => {
    const answer = await gateway().send(stream, { body: JSON.stringify({ set: 's', steps }), headers: ndjson })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, expect.stringContaining(ndjson.accept)])
    return answer.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  beforeAll(() => storeCounted(gateway()))

  test('a count is a number, and its job says what was looked at', async () => {
    const answer = await ask([under(700), { count: true }])
    expect(answer).toMatchObject({ count: 700, summary: { returned: 700, scanned: 3000, truncated: false } })
    expect(await gateway().ok(`GET /api/v1/jobs/${answer.jobId}`)).toMatchObject({
      kind: 'stream',
      state: 'done',
      namespace: 'n',
      set: 's',
      threads: 2,
      result: { returned: 700, scanned: 3000 },
    })
    expect(await lines([under(700), { count: true }])).toEqual([{ count: 700 }])
    expect(await ask([{ count: true }], { threads: 4, recordsPerSecond: 0 })).toMatchObject({ count: 3000 })
  })

  test('records come as records, and rows as objects of their columns', async () => {
    const sorted = { sort: { bin: 'i', desc: true, limit: 2 } }
    const { rows, summary } = await ask([under(10), sorted])
    expect(rows).toMatchObject([
      { set: 's', key: 9, bins: { i: 9, pad: 'x' } },
      { set: 's', key: 8, bins: { i: 8, pad: 'x' } },
    ])
    expect(summary).toMatchObject({ returned: 2, truncated: false })
    const map = { map: [{ bin: 'i', as: 'n' }] }
    expect((await ask([under(10), sorted, map])).rows).toEqual([{ n: 9 }, { n: 8 }])
    expect(await lines([map, { sort: { bin: 'n', limit: 3 } }])).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }])
  })

  test('an answer of JSON whose steps bound nothing ends after a thousand rows; lines do not', async () => {
    const { rows, summary } = await ask([])
    expect([rows.length, summary.returned, summary.truncated]).toEqual([1000, 1000, true])
    const bounded = await ask([{ limit: 2000 }])
    expect([bounded.rows.length, bounded.summary.truncated]).toEqual([2000, false])
    expect(await lines([])).toHaveLength(3000)
    expect((await ask([under(0)])).rows).toEqual([])
    expect(await lines([under(0)])).toEqual([])
  })

  test('figures and groups are written as queries write them', async () => {
    const sum = { sum: { op: 'sum', bin: 'i' } }
    const reduced = await ask([under(5), { reduce: sum }])
    expect(reduced.reduce).toMatchObject({ sum: { value: 10, numbers: 5 } })
    expect(await lines([under(5), { reduce: sum }])).toMatchObject([{ sum: { value: 10 } }])
    const grouped = await ask([under(5), { groupBy: { by: ['pad'], aggregate: sum } }])
    expect(grouped).toMatchObject({ groups: [{ by: { pad: 'x' }, aggregate: { sum: { value: 10 } } }], others: 0 })
    const top = await ask([{ groupBy: { by: ['i'], top: 2 } }])
    expect([top.groups.length, top.others, top.summary.truncated]).toEqual([2, 2998, true])
    expect(await lines([{ groupBy: { by: ['pad'] } }])).toMatchObject([
      { by: { pad: 'x' }, aggregate: { elements: { value: 3000 } } },
    ])
  })

  test('the first filters are a query: its plan is told, and its index used', async () => {
    const { ok } = gateway()
    await ok('POST /api/v1/namespaces/n/indexes?wait=60s', { body: { name: 'i', set: 's', bin: 'i', kind: 'range' } })
    const steps = [under(20), { distinct: true }, { count: true }]
    expect(await ask(steps, { explain: true })).toMatchObject({ method: 'range-index', index: 'i' })
    const { count, summary } = await ask(steps)
    expect([count, summary.method, summary.scanned < 30]).toEqual([20, 'range-index', true])
  })

  test.runIf(can('segments'))('only the segments that are named are streamed', async () => {
    const counts = await Promise.all(
      Array.from({ length: 16 }, (_, segment) => ask([{ count: true }], { segments: [segment] })),
    )
    expect(counts.every(({ count }) => count > 0 && count < 1000)).toBe(true)
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(3000)
  })

  test('what is wrong is named by its path, and what takes too much by its step', async () => {
    const { send, ok } = gateway()
    const bad = await send(stream, { body: { steps: [{ limit: 1 }, { map: [{ bin: 1 }] }] } })
    expect([bad.status, bad.json()]).toMatchObject([400, { code: 'query_invalid', field: 'steps[1].map[0].bin' }])
    await ok('PUT /api/v1/namespaces/n/sets/wide/records/a', {
      body: { list: Array.from({ length: 110_000 }, (_, n) => n) },
    })
    const groups = [{ flatMap: { bin: 'list', as: 'n' } }, { groupBy: { by: ['n'] } }]
    const many = await send(stream, { body: { set: 'wide', steps: groups } })
    expect([many.status, many.json()]).toMatchObject([422, { code: 'too_many_groups', field: 'steps[1].groupBy' }])
  })

  // The rule is tested beside it in the core; to reach the real limit takes a slow machine minutes.
  test.runIf(isLong)('ten million different elements are as many as a stream tells apart', async () => {
    const { send, ok } = gateway()
    const list = Array.from({ length: 3200 }, (_, n) => n)
    await ok('PUT /api/v1/namespaces/n/sets/pairs/records/a', { body: { a: list, b: list } })
    const pairs = ['a', 'b'].map((bin) => ({ flatMap: { bin, as: bin } }))
    const steps = [...pairs, { distinct: true }, { count: true }]
    const many = await send(stream, { body: { set: 'pairs', steps } })
    expect([many.status, many.json()]).toMatchObject([422, { code: 'too_many_distinct', field: 'steps[2].distinct' }])
  })
})
