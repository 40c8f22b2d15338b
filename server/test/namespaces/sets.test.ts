// Sets come with their first record; their index is switched on and off as a job.
import { describe, expect, test } from 'vitest'
import { can } from '../contract.js'
import { useGateway } from '../gateway.js'

interface Job {
  id: string
  state: string
}

interface Page {
  items: { name: string; records: number }[]
  total: { sets: number; records: number }
  truncated: boolean
  cursor?: string
}

describe('sets', () => {
  const gateway = useGateway()
  const sets = '/api/v1/namespaces/n/sets'

  test('come with their first record, and their index is switched at run time', async () => {
    const { send, ok } = gateway()
    await gateway().newNamespace('n')
    for (let i = 0; i < 20; i += 1) await gateway().put(`n/sets/small/records/${i}`, { i })
    expect(await ok(`GET ${sets}`)).toMatchObject({
      items: [{ name: 'small', records: 20, index: { state: 'off' } }],
      truncated: false,
    })
    const switched = await send(`PATCH ${sets}/small?wait=10s`, { body: { index: true, threads: 2 } })
    expect(switched.status).toBe(202)
    const job = switched.json<Job>()
    expect(job.state).toBe('done')
    expect(switched.headers['location']).toBe(`/api/v1/jobs/${job.id}`)
    expect(await ok(`GET ${sets}/small`)).toMatchObject({ index: { state: 'on' } })
    await ok(`PATCH ${sets}/small?wait=10s`, { body: { index: false } })
    expect(await ok(`GET ${sets}/small`)).toMatchObject({ index: { state: 'off' } })
  })

  test.runIf(can('segments'))('with a distribution bin are created first, and answer a routed query', async () => {
    const { send, ok } = gateway()
    const created = await send(`POST ${sets}`, { body: { name: 'routed', distributionBin: 'city', index: true } })
    expect(created.status).toBe(201)
    expect(created.json()).toMatchObject({ name: 'routed', distributionBin: 'city', records: 0 })
    for (let i = 0; i < 30; i += 1) await gateway().put(`n/sets/routed/records/${i}`, { city: `c${i % 3}`, i })
    const plan = await ok('POST /api/v1/namespaces/n/query', {
      body: { set: 'routed', route: 'c1', where: { bin: 'city', op: 'eq', value: 'c1' }, explain: true },
    })
    expect(plan).toMatchObject({ segments: 1 })
    const found = await ok<{ records: { bins: object }[] }>('POST /api/v1/namespaces/n/query', {
      body: { set: 'routed', route: 'c1', where: { bin: 'city', op: 'eq', value: 'c1' } },
    })
    expect(found.records).toHaveLength(10)
  })

  test('are searched, ordered and read page by page', async () => {
    const { send, ok } = gateway()
    await gateway().newNamespace('many')
    for (const [set, records] of [
      ['events_2025', 1],
      ['events_2026', 3],
      ['profiles', 2],
    ] as const)
      for (let i = 0; i < records; i += 1) await gateway().put(`many/sets/${set}/records/${i}`, { i })
    const names = async (query: string) => {
      const page = await ok<Page>(`GET /api/v1/namespaces/many/sets?${query}`)
      return [page.items.map(({ name }) => name), page.total.sets, page.truncated] as const
    }
    expect(await names('')).toEqual([['events_2025', 'events_2026', 'profiles'], 3, false])
    expect(await names('q=EVENTS&order=desc')).toEqual([['events_2026', 'events_2025'], 2, false])
    expect(await names('prefix=events_2026')).toEqual([['events_2026'], 1, false])
    expect(await names('q=none')).toEqual([[], 0, false])
    const order = 'sort=records&order=desc&limit=2'
    const first = await ok<Page>(`GET /api/v1/namespaces/many/sets?${order}`)
    expect(first).toMatchObject({ limit: 2, truncated: true, total: { sets: 3, records: 6 } })
    expect(first.items.map(({ name }) => name)).toEqual(['events_2026', 'profiles'])
    expect(await names(`${order}&cursor=${first.cursor}`)).toEqual([['events_2025'], 3, false])
    const other = await send(`GET /api/v1/namespaces/many/sets?sort=bytes&cursor=${first.cursor}`)
    expect([other.status, other.json<{ code: string }>().code]).toEqual([400, 'cursor_invalid'])
  })

  test('are truncated, after a look at what would go', async () => {
    const { send, ok } = gateway()
    for (let i = 0; i < 10; i += 1) await gateway().put(`n/sets/gone/records/${i}`, { i })
    expect(await ok(`DELETE ${sets}/gone?dryRun=true`)).toMatchObject({ records: 10 })
    expect(await ok('GET /api/v1/namespaces/n/size?set=gone')).toMatchObject({ records: 10 })
    const truncated = await send(`DELETE ${sets}/gone?wait=10s`)
    expect(truncated.status).toBe(202)
    expect(truncated.json()).toMatchObject({ kind: 'truncate', state: 'done' })
    expect(await ok('GET /api/v1/namespaces/n/size?set=gone')).toMatchObject({ records: 0 })
    expect(await ok('GET /api/v1/namespaces/n/size?set=small')).toMatchObject({ records: 20 })
  })
})
