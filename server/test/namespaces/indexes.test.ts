// Document and range indexes are built and dropped as jobs.
import { describe, expect, test } from 'vitest'
import { useGateway } from '../gateway.js'

describe('indexes', () => {
  const gateway = useGateway()
  const indexes = '/api/v1/namespaces/n/indexes'

  test('are built, used, listed and dropped', async () => {
    const { send, ok } = gateway()
    await gateway().newNamespace('n')
    for (let i = 0; i < 40; i += 1)
      await gateway().put(`n/sets/s/records/${i}`, { doc: { n: i % 4, tags: ['x', `t${i}`] }, i })
    const spec = { name: 'docs', set: 's', bin: 'doc', kind: 'document', threads: 2 }
    const accepted = await send(`POST ${indexes}?wait=10s`, { body: spec })
    expect(accepted.status).toBe(202)
    expect(accepted.json()).toMatchObject({ kind: 'index-build', state: 'done', namespace: 'n' })
    expect((await send(`POST ${indexes}`, { body: spec })).json()).toMatchObject({ code: 'index_exists', status: 409 })
    expect(await ok(`GET ${indexes}/docs`)).toMatchObject({ name: 'docs', state: 'ready', bin: 'doc' })
    expect(await ok(`GET ${indexes}`)).toMatchObject({ items: [{ name: 'docs' }] })
    await gateway().memoryNamespace('m')
    await ok('POST /api/v1/namespaces/m/indexes?wait=10s', { body: { name: 'docs', bin: 'i', kind: 'range' } })
    const all = 'GET /api/v1/indexes'
    expect(await ok(all)).toMatchObject({ items: [{ namespace: 'm' }, { namespace: 'n' }], truncated: false })
    const page = await ok<{ cursor: string }>(`${all}?limit=1`)
    expect(page).toMatchObject({ items: [{ namespace: 'm', name: 'docs' }], truncated: true })
    expect(await ok(`${all}?limit=1&cursor=${page.cursor}`)).toMatchObject({ items: [{ namespace: 'n' }] })
    expect((await send(`${all}?cursor=bm9uZQ`)).json()).toMatchObject({ code: 'cursor_invalid' })

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
