// The profile of a set, from a sample of its records.
import { describe, expect, test } from 'vitest'
import type { SetProfile } from '../../src/schemas/namespaces/profiles.js'
import { useGateway } from '../gateway.js'

const CITIES = ['Rome', 'Oslo', 'Paris', 'Athens', 'Vienna']

describe('the profile of a set', () => {
  const gateway = useGateway()

  async function fill(ns: string, rows: number): Promise<void> {
    await gateway().newNamespace(ns)
    const lines = Array.from({ length: rows }, (_, at) =>
      JSON.stringify({
        key: at,
        bins: {
          city: CITIES[at % CITIES.length],
          n: at % 2 === 0 ? at : at + 0.5,
          ...(at % 4 === 0 && { maybe: null }),
          doc: { a: { b: at % 3 }, tags: ['x', `t${at}`], 'e.mail': `${at}@test` },
        },
        ...(at % 10 === 0 && { ttlSeconds: 7200 }),
      }),
    )
    await gateway().ok(`POST /api/v1/namespaces/${ns}/sets/s/records`, {
      body: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
  }

  const binOf = ({ bins }: SetProfile, name: string) => bins.find((bin) => bin.name === name)

  test('has bins, types, extremes, values and paths of a set that is read whole', async () => {
    await fill('whole', 100)
    const profile = await gateway().ok<SetProfile>('GET /api/v1/namespaces/whole/sets/s/profile')
    expect(profile).toMatchObject({
      namespace: 'whole',
      set: 's',
      sample: { method: 'all', records: 100, of: 100, damaged: 0, tooLarge: 0 },
      otherBins: 0,
      lives: { never: 90, buckets: [{ from: 3600, to: 86_400, count: 10 }] },
    })
    expect(profile.sizes.reduce((all, { count }) => all + count, 0)).toBe(100)
    expect(profile.bins.map(({ name }) => name)).toEqual(['city', 'doc', 'maybe', 'n'])
    expect(binOf(profile, 'city')).toMatchObject({
      records: 100,
      share: 1,
      nulls: 0,
      types: [{ type: 'string', count: 100, share: 1 }],
      distinct: { sample: 5, atLeast: false, set: { about: 5, from: 5, to: 5 } },
      equal: { about: 20, from: 20, to: 20 },
      strings: { least: 'Athens', greatest: 'Vienna' },
      lengths: { least: 4, greatest: 6 },
    })
    expect(binOf(profile, 'city')?.top).toContainEqual({ json: '"Rome"', cut: false, count: 20, share: 0.2 })
    expect(binOf(profile, 'n')).toMatchObject({
      types: expect.arrayContaining([
        { type: 'integer', count: 50, share: 0.5 },
        { type: 'double', count: 50, share: 0.5 },
      ]) as unknown,
      numbers: { least: '0', greatest: '99.5' },
      distinct: { sample: 100 },
      top: [],
    })
    expect(binOf(profile, 'maybe')).toMatchObject({ records: 25, share: 0.25, nulls: 25, distinct: { sample: 0 } })
    const paths = binOf(profile, 'doc')?.paths ?? []
    expect(paths.map(({ path, indexable }) => [path, indexable])).toEqual([
      ['["e.mail"]', false],
      ['a', true],
      ['a.b', true],
      ['tags', true],
      ['tags[*]', false],
    ])
    expect(paths.find(({ path }) => path === 'a.b')).toMatchObject({
      records: 100,
      numbers: { least: '0', greatest: '2' },
      distinct: { sample: 3 },
    })
    expect(paths.find(({ path }) => path === 'tags[*]')).toMatchObject({ records: 100, distinct: { sample: 101 } })
  })

  test('reads a uniform share of a larger set, the same for the same seed', async () => {
    await fill('large', 4000)
    const profile = (query: string) =>
      gateway().ok<SetProfile>(`GET /api/v1/namespaces/large/sets/s/profile?sample=400${query}`)
    // What a histogram is drawn from depends on the order of the records.
    const facts = ({ bins }: SetProfile) =>
      bins.map(({ name, records, distinct, equal }) => [name, records, distinct, equal])
    const first = await profile('')
    expect(first.sample).toMatchObject({ method: 'share', share: 0.1, seed: 0, of: 4000 })
    expect(first.sample.records).toBeGreaterThan(250)
    expect(first.sample.records).toBeLessThan(600)
    expect(facts(await profile('&seed=0'))).toEqual(facts(first))
    expect(facts(await profile('&seed=1'))).not.toEqual(facts(first))
    const city = binOf(first, 'city')
    expect(city?.distinct.set).toMatchObject({ from: 5, about: 5 })
    expect(city?.equal.from).toBeLessThanOrEqual(800)
    expect(city?.equal.to).toBeGreaterThanOrEqual(800)
    const numbers = binOf(first, 'n')
    expect(numbers?.distinct).toMatchObject({ sample: first.sample.records, set: { to: 4000 } })
    expect(numbers?.equal).toMatchObject({ about: 1, from: 1 })
  })

  test('is of the records without a set, of all records, and of a set that has none', async () => {
    await gateway().newNamespace('few')
    await gateway().put('few/sets/s/records/1', { a: 1 })
    await gateway().put('few/records/2', { b: 2 })
    await gateway().ok('POST /api/v1/namespaces/few/sets', { body: { name: 'empty' } })
    const names = async (path: string) =>
      (await gateway().ok<SetProfile>(`GET /api/v1/namespaces/few/${path}`)).bins.map(({ name }) => name)
    expect(await names('profile?set=')).toEqual(['b'])
    expect(await names('profile?set=s')).toEqual(['a'])
    expect(await names('profile')).toEqual(['a', 'b'])
    expect(await names('sets/empty/profile')).toEqual([])
  })

  test('keeps every digit of long integers, and bytes and long texts in bounds', async () => {
    await gateway().newNamespace('odd')
    await gateway().ok('PUT /api/v1/namespaces/odd/sets/s/records/1', {
      body: '{"big":9007199254740993,"raw":{"$bytes":"AAEC"},"long":"' + 'é'.repeat(5000) + '\\"","tiny":1e-300}',
      headers: { 'content-type': 'application/json' },
    })
    const profile = await gateway().ok<SetProfile>('GET /api/v1/namespaces/odd/sets/s/profile')
    expect(binOf(profile, 'big')).toMatchObject({
      numbers: { least: '9007199254740993' },
      example: { json: '9007199254740993' },
    })
    expect(binOf(profile, 'raw')).toMatchObject({ types: [{ type: 'bytes' }], lengths: { least: 3 }, paths: [] })
    expect(binOf(profile, 'long')).toMatchObject({ lengths: { least: 5001 }, example: { cut: true } })
    expect(binOf(profile, 'tiny')).toMatchObject({ types: [{ type: 'double' }], numbers: { least: '1e-300' } })
  })

  test('counts a record that is too large, and goes on', async () => {
    await gateway().newNamespace('huge', { maxRecordBytes: 4 * 1024 * 1024 })
    await gateway().put('huge/sets/s/records/1', { text: 'x'.repeat(1_100_000) })
    await gateway().put('huge/sets/s/records/2', { a: 1 })
    const profile = await gateway().ok<SetProfile>('GET /api/v1/namespaces/huge/sets/s/profile')
    expect(profile.sample).toMatchObject({ records: 2, tooLarge: 1 })
    expect(profile.bins).toMatchObject([{ name: 'a', share: 1 }])
  })

  test('has at most so many bins, paths and levels', async () => {
    await gateway().newNamespace('wide')
    const wide = Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`b${at}`, at]))
    const deep = Array.from({ length: 40 }).reduce<unknown>((inside) => ({ d: inside }), 1)
    const keys = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`k${at}`, at]))
    await gateway().put('wide/sets/s/records/1', { aDeep: deep, aKeys: keys })
    await gateway().put('wide/sets/s/records/2', wide)
    const profile = await gateway().ok<SetProfile>('GET /api/v1/namespaces/wide/sets/s/profile')
    expect(profile.bins).toHaveLength(1000)
    expect(profile.bins.length + profile.otherBins).toBe(1202)
    const all = await gateway().ok<SetProfile>('GET /api/v1/namespaces/wide/sets/s/profile?sample=10000')
    expect(Math.max(...all.bins.flatMap(({ paths }) => paths.map(({ depth }) => depth)), 0)).toBeLessThanOrEqual(6)
  })

  test.each([
    ['sets/none/profile', 404, 'set_not_found'],
    ['sets/s/profile?sample=0', 400, 'field_invalid'],
    ['sets/s/profile?sample=10001', 400, 'field_invalid'],
    ['sets/s/profile?seed=-1', 400, 'field_invalid'],
    ['sets/s/profile?set=s', 400, 'field_unknown'],
    ['profile?set=a/b', 400, 'name_invalid'],
  ])('refuses %s', async (path, status, code) => {
    await gateway().newNamespace(`bad${status}${path.length}`)
    await gateway().put(`bad${status}${path.length}/sets/s/records/1`, { a: 1 })
    const answer = await gateway().send(`GET /api/v1/namespaces/bad${status}${path.length}/${path}`)
    expect([answer.status, answer.json()['code']]).toEqual([status, code])
  })
})
