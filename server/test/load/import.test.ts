// Import and export: what goes in by one comes out by the other.
import { describe, expect, test } from 'vitest'
import { gzipSync } from 'node:zlib'
import { can } from '../contract.js'
import { useGateway } from '../gateway.js'

describe('import and export', () => {
  const gateway = useGateway({ defaultThreads: 2 })
  const url = 'POST /api/v1/namespaces/n/import'
  const csv = { 'content-type': 'text/csv' }

  test('CSV', async () => {
    const { ok } = gateway()
    await gateway().newNamespace('n')
    const body = 'id,name,n\n1,"Ada, ""Countess""",9223372036854775807\n2,Bob,2\n'
    const report = await ok(`${url}?set=people&key=id&keyType=integer&types=name:string,n:integer`, {
      body,
      headers: csv,
    })
    expect(report).toMatchObject({ rows: 2, inserted: 2, updated: 0, rejectedTotal: 0 })
    expect(await ok(`GET /api/v1/jobs/${String(report['jobId'])}`)).toMatchObject({ kind: 'import', state: 'done' })
    const one = await gateway().send('GET /api/v1/namespaces/n/sets/people/records/1?keytype=integer')
    expect(one.text).toContain('"n":9223372036854775807')
    expect(one.json()).toMatchObject({ bins: { name: 'Ada, "Countess"' } })
  })

  test('NDJSON, compressed, with rejects', async () => {
    const { ok } = gateway()
    const body = gzipSync('{"id":"a","n":1}\n{"id":"b","n":\n{"n":3}\n{"id":"d","n":4}\n')
    const report = await ok<{ rejected: object[] }>(`${url}?set=z&key=id`, {
      body,
      headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
    })
    expect(report).toMatchObject({ inserted: 2, rejectedTotal: 2 })
    expect(report.rejected).toMatchObject([
      { line: 2, code: 'json_invalid' },
      { line: 3, code: 'key_missing' },
    ])
  })

  test('gzip is told from its first bytes', async () => {
    const report = await gateway().ok(`${url}?set=told&key=id`, {
      body: gzipSync('{"id":"a","n":1}\n{"id":"b","n":2}\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    expect(report).toMatchObject({ inserted: 2, rejectedTotal: 0 })
  })

  test('columns are mapped to bins: renamed, left out, from a path, typed', async () => {
    const { ok } = gateway()
    const report = await ok<{ rejected: object[] }>(
      `${url}?set=mapped&key=id&map=id:id,who:doc.by.name,n:n:double,same:same`,
      {
        body: 'id,doc,n,same,left\n1,"{""by"":{""name"":""Ada""}}",3,x,y\n2,{},none,x,y\n3,{},,x,y\n',
        headers: csv,
      },
    )
    expect(report).toMatchObject({ inserted: 2, rejected: [{ line: 3, code: 'csv_invalid', field: 'n' }] })
    expect(await ok('GET /api/v1/namespaces/n/sets/mapped/records/1?keytype=integer')).toMatchObject({
      bins: { id: 1, who: 'Ada', n: 3, same: 'x' },
    })
    const third = await ok<{ bins: object }>('GET /api/v1/namespaces/n/sets/mapped/records/3?keytype=integer')
    expect(third.bins).toEqual({ id: 3, n: null, same: 'x' })
  })

  test.runIf(can('segments'))('an hour of the Archive is distributed by repository', async () => {
    const { ok } = gateway()
    const event = (id: number) =>
      JSON.stringify({
        id: `${id}`,
        type: 'PushEvent',
        public: true,
        repo: { id: id % 3, name: 'r' },
        payload: {},
        more: 1,
      })
    const body = gzipSync(Array.from({ length: 30 }, (_, id) => event(id)).join('\n'))
    const report = await ok(`${url}?set=archive&format=github-archive&distributionBin=repo_id`, {
      body,
      headers: { 'content-type': 'application/gzip', 'content-encoding': 'gzip' },
    })
    expect(report).toMatchObject({ inserted: 30, rejectedTotal: 0 })
    const found = await ok<{ records: { bins: Record<string, unknown> }[] }>('POST /api/v1/namespaces/n/query', {
      body: { set: 'archive', route: 2, where: { bin: 'repo_id', op: 'eq', value: 2 } },
    })
    expect(found.records).toHaveLength(10)
    expect(Object.keys(found.records[0]?.bins ?? {}).toSorted()).toEqual([
      'event_id',
      'event_public',
      'event_type',
      'payload',
      'repo',
      'repo_id',
    ])
  })

  test('a dry run stores nothing and shows the first rows', async () => {
    const { ok } = gateway()
    const report = await ok<{ sample: string }>(`${url}?set=dry&key=id&dryRun=true`, {
      body: 'id,a\n1,2\n',
      headers: csv,
    })
    expect(report.sample).toContain('"a":')
    expect(await ok('GET /api/v1/namespaces/n/size?set=dry')).toMatchObject({ records: 0 })
  })

  test('mode=insert rejects keys that are there', async () => {
    const { ok } = gateway()
    const again = await ok(`${url}?set=people&key=id&keyType=integer&mode=insert`, {
      body: 'id,name\n1,Eve\n3,Dan\n',
      headers: csv,
    })
    expect(again).toMatchObject({ inserted: 1, rejected: [{ line: 2, code: 'record_exists' }] })
  })

  test('an export comes back whole by import', async () => {
    const { send, ok } = gateway()
    const exported = await send('GET /api/v1/namespaces/n/export?set=people')
    expect(exported.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-disposition': 'attachment; filename="n.people.ndjson"',
    })
    expect(exported.text.trimEnd().split('\n')).toHaveLength(3)
    const columns = await send('GET /api/v1/namespaces/n/export?set=people&format=csv&columns=name,n')
    expect(columns.headers['content-type']).toContain('text/csv')
    expect(columns.text).toContain('9223372036854775807')
    const where = encodeURIComponent('{"bin":"name","op":"eq","value":"Bob"}')
    const filtered = await send(`GET /api/v1/namespaces/n/export?set=people&where=${where}`)
    expect(filtered.text.trimEnd().split('\n')).toHaveLength(1)
    expect(await ok('GET /api/v1/jobs?kind=export')).toMatchObject({ truncated: false })
  })
})
