// Set indexes and document indexes are switched on, built and dropped as jobs.
import { describe, expect, test } from 'vitest'
import { useGateway } from './gateway.js'

interface Job {
  id: string
  state: string
}

describe('sets', () => {
  const gateway = useGateway()
  const sets = '/api/v1/namespaces/n/sets'

  test('come with their first record, and their index is switched at run time', async () => {
    const { send, ok } = gateway()
    await gateway().memoryNamespace('n')
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

  test('with a distribution bin are created first, and answer a routed query', async () => {
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

describe('indexes', () => {
  const gateway = useGateway()
  const indexes = '/api/v1/namespaces/n/indexes'

  test('are built, used, listed and dropped', async () => {
    const { send, ok } = gateway()
    await gateway().memoryNamespace('n')
    for (let i = 0; i < 40; i += 1)
      await gateway().put(`n/sets/s/records/${i}`, { doc: { n: i % 4, tags: ['x', `t${i}`] }, i })
    const spec = { name: 'docs', set: 's', bin: 'doc', kind: 'document', threads: 2 }
    const accepted = await send(`POST ${indexes}?wait=10s`, { body: spec })
    expect(accepted.status).toBe(202)
    expect(accepted.json()).toMatchObject({ kind: 'index-build', state: 'done', namespace: 'n' })
    expect((await send(`POST ${indexes}`, { body: spec })).json()).toMatchObject({ code: 'index_exists', status: 409 })
    expect(await ok(`GET ${indexes}/docs`)).toMatchObject({ name: 'docs', state: 'ready', bin: 'doc' })
    expect(await ok(`GET ${indexes}`)).toMatchObject({ items: [{ name: 'docs' }] })

    const where = { bin: 'doc', op: 'contains', value: { n: 3 } }
    expect(await ok('POST /api/v1/namespaces/n/query', { body: { set: 's', where, explain: true } })).toMatchObject({
      method: 'document-index',
      index: 'docs',
    })
    const found = await ok<{ records: { bins: { i: number } }[]; summary: object }>('POST /api/v1/namespaces/n/query', {
      body: { set: 's', where },
    })
    expect(found.records.map(({ bins }) => bins.i).sort((a, b) => a - b)).toEqual([
      3, 7, 11, 15, 19, 23, 27, 31, 35, 39,
    ])
    expect(found.summary).toMatchObject({ returned: 10, truncated: false })

    await ok(`POST ${indexes}?wait=10s`, { body: { name: 'by-i', set: 's', bin: 'i', kind: 'range' } })
    const range = await ok<{ records: object[] }>('POST /api/v1/namespaces/n/query', {
      body: { set: 's', where: { bin: 'i', op: 'lt', value: 5 } },
    })
    expect(range.records).toHaveLength(5)
    const { entries, bytes } = await ok<{ entries: number; bytes: number }>(`GET ${indexes}/docs`)
    expect(entries).toBeGreaterThan(0)
    const report = { records: 0, entries, bytes, indexes: 1 }
    expect(await ok(`DELETE ${indexes}/docs?dryRun=true`)).toEqual(report)
    expect(await ok(`GET ${indexes}/docs`)).toMatchObject({ state: 'ready', entries })
    expect((await send(`DELETE ${indexes}/none?dryRun=true`)).json()).toMatchObject({ code: 'index_not_found' })
    expect(await ok(`DELETE ${indexes}/docs`)).toEqual(report)
    expect((await send(`GET ${indexes}/docs`)).json()).toMatchObject({ code: 'index_not_found' })
  })
})
