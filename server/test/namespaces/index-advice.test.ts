// Advice on indexes: what would help the queries that ran, and whether it does once it is built.
import { describe, expect, test } from 'vitest'
import { unusedOf } from '../../src/indexes/advice.js'
import { shapeText, testsOf, testsOfText } from '../../src/indexes/shape.js'
import { index as example } from '../../src/schemas/examples/namespaces.js'
import type { IndexAdvice } from '../../src/schemas/namespaces/index-advice.js'
import type { Index } from '../../src/schemas/namespaces/indexes.js'
import { useGateway } from '../gateway.js'

const ROWS = 6000

describe('advice', () => {
  const gateway = useGateway()

  async function fill(ns: string): Promise<void> {
    await gateway().newNamespace(ns)
    const row = (at: number) => ({
      key: at,
      bins: { city: `c${at % 40}`, at, doc: { sku: `s${at % 300}`, tags: [`t${at % 50}`, 'all'] }, same: 1 },
    })
    const send = (set: string, rows: number) =>
      gateway().ok(`POST /api/v1/namespaces/${ns}/sets/${set}/records`, {
        body: Array.from({ length: rows }, (_, at) => JSON.stringify(row(at))).join('\n'),
        headers: { 'content-type': 'application/x-ndjson' },
      })
    await send('s', ROWS)
    await send('small', 100)
  }

  const query = (ns: string, body: object) =>
    gateway().ok<{ summary: { scanned: number; candidates: number; method: string } }>(
      `POST /api/v1/namespaces/${ns}/query`,
      { body },
    )
  const advice = (ns: string) => gateway().ok<IndexAdvice>(`GET /api/v1/namespaces/${ns}/index-advice`)

  test('there is none before a query has run', async () => {
    await fill('quiet')
    expect(await advice('quiet')).toMatchObject({ indexes: [], setIndexes: [], unused: [] })
  })

  test.each([
    [
      'a bin',
      { bin: 'city', op: 'eq', value: 'c7' },
      { name: 'city', set: 's', bin: 'city', kind: 'range' },
      'city = ?',
    ],
    [
      'a path',
      { bin: 'doc', path: 'sku', op: 'eq', value: 's7' },
      { name: 'doc.sku', set: 's', bin: 'doc', path: 'sku', kind: 'range' },
      'doc.sku = ?',
    ],
    ['an order', { bin: 'at', op: 'lt', value: 90 }, { name: 'at', set: 's', bin: 'at', kind: 'range' }, 'at < ?'],
    [
      'containment',
      { bin: 'doc', op: 'contains', value: { tags: ['t7'] } },
      { name: 'doc', set: 's', bin: 'doc', kind: 'document' },
      'doc contains ?',
    ],
    [
      'the better one of two tests',
      {
        and: [
          { bin: 'same', op: 'eq', value: 1 },
          { bin: 'city', op: 'eq', value: 'c7' },
        ],
      },
      { name: 'city', set: 's', bin: 'city', kind: 'range' },
      'same = ? and city = ?',
    ],
  ])('an index for %s reads within the stated range once it is built', async (what, where, spec, shape) => {
    const ns = `n-${what.replaceAll(' ', '-')}`
    await fill(ns)
    for (let run = 0; run < 3; run += 1) await query(ns, { set: 's', where })
    const { indexes } = await advice(ns)
    expect(indexes).toHaveLength(1)
    const [advised] = indexes
    expect(advised).toMatchObject({ spec, shapes: [shape], queries: { count: 3 }, records: { before: ROWS } })
    expect(advised?.curl).toContain(`$TESSERA/api/v1/namespaces/${ns}/indexes`)
    expect(advised?.why).toContain('3 in all')
    expect(advised?.cost.entries).toBeGreaterThan(ROWS * 0.9)
    await gateway().ok(`POST /api/v1/namespaces/${ns}/indexes?wait=20s`, { body: { ...spec, threads: 1 } })
    const { summary } = await query(ns, { set: 's', where, useIndex: spec.name })
    expect(summary.scanned).toBeGreaterThanOrEqual(advised?.records.after.from ?? Infinity)
    expect(summary.scanned).toBeLessThanOrEqual(advised?.records.after.to ?? 0)
    expect((await advice(ns)).indexes).toEqual([])
  })

  test('a test that nearly all records pass is not worth an index', async () => {
    await fill('useless')
    await query('useless', { set: 's', where: { bin: 'same', op: 'eq', value: 1 } })
    expect((await advice('useless')).indexes).toEqual([])
  })

  test('a small set that is scanned should have a set index', async () => {
    await fill('sets')
    await query('sets', { set: 'small' })
    await gateway().ok('POST /api/v1/namespaces/sets/scan', { body: { set: 'small', limit: 10 } })
    const { setIndexes } = await advice('sets')
    expect(setIndexes).toMatchObject([
      { set: 'small', queries: { count: 2 }, records: { before: ROWS + 100, after: 100 } },
    ])
    await gateway().ok('PATCH /api/v1/namespaces/sets/sets/small?wait=20s', { body: { index: true } })
    expect((await advice('sets')).setIndexes).toEqual([])
  })

  test('is refused for a namespace that is not there', async () => {
    const answer = await gateway().send('GET /api/v1/namespaces/none/index-advice')
    expect([answer.status, answer.json()['code']]).toEqual([404, 'namespace_not_found'])
  })
})

describe('an unused index', () => {
  const at = (days: number): string => new Date(Date.UTC(2026, 0, 1) + days * 86_400_000).toISOString()
  const index = (more: Partial<Index>): Index => {
    const { lastUsedAt: _, ...rest } = example as Index
    return { ...rest, usesSince: at(0), ...more }
  }
  const unused = (one: Index, day: number) => unusedOf([one], Date.parse(at(day))).map(({ name }) => name)

  test('is one that no query has used for 14 days', () => {
    expect(unused(index({}), 14)).toEqual([example.name])
    expect(unused(index({ lastUsedAt: at(3) }), 17)).toEqual([example.name])
  })

  test('is none that was used since, is counted for less, or is not ready', () => {
    expect(unused(index({}), 13.9)).toEqual([])
    expect(unused(index({ lastUsedAt: at(3) }), 16)).toEqual([])
    expect(unused(index({ state: 'building' }), 30)).toEqual([])
  })
})

describe('the shape of a filter', () => {
  test.each([
    [{ bin: 'a', op: 'eq', value: 1 }, 'a = ?'],
    [{ bin: 'a', path: 'b.c[*]', op: 'prefix', value: 'x' }, 'a.b.c[*] begins with ?'],
    [{ bin: 'a', path: ['b', '*', 'c'], op: 'ge', value: 1 }, 'a.b[*].c >= ?'],
    [{ bin: 'a', op: 'eq', value: 1, any: 'items' }, 'a[*] = ?'],
    [
      {
        and: [
          { bin: 'a', op: 'between', value: [1, 2] },
          { bin: 'b', op: 'contains', value: {} },
        ],
      },
      'a between ? and ? and b contains ?',
    ],
  ])('%j', (where, text) => {
    const tests = testsOf(where)
    expect(shapeText(tests ?? [])).toBe(text)
    expect(testsOfText(text)).toEqual(tests)
  })

  test.each([
    [{ or: [{ bin: 'a', op: 'eq', value: 1 }] }],
    [{ not: { bin: 'a', op: 'eq', value: 1 } }],
    [{ meta: 'size', op: 'gt', value: 1 }],
    [{ bin: 'a', op: 'eq', value: 1, all: 'items' }],
    [{ and: Array.from({ length: 40 }, () => ({ bin: 'a', op: 'eq', value: 1 })) }],
    [null],
  ])('%j has none', (where) => {
    expect(testsOf(where)).toBeUndefined()
  })

  test.each(['a = ? or b = ?', 'not (a = ?)', '"a b" = ?', 'a between ?', 'a = ?…', ''])('%j is not read', (text) => {
    expect(testsOfText(text)).toBeUndefined()
  })
})
