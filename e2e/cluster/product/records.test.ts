// The gateway with a namespace on a real cluster: single records and scans over HTTP, restarts.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, finish, type Job, lines, send } from '../../gateway/client.ts'
import { type Gateway, newHome, removeHome } from '../../gateway/gateway.ts'
import { points, startGatewayOfCluster } from './cluster.ts'

const home = newHome()
const config = {
  name: 'far',
  storage: {
    engine: 'cassandra',
    cluster: { name: 'local', replication: Math.min(3, points.length), timeoutMs: 2000 },
  },
}
const far = (path: string): string => `/api/v1/namespaces/far/${path}`
const records = far('sets/s/records')
let gateway: Gateway

const start = async (): Promise<void> => {
  gateway = await startGatewayOfCluster(home)
}
const status = async (method: string, path: string, body?: unknown): Promise<[number, string | undefined]> => {
  const answer = await send(gateway, method, path, body)
  const text = await answer.text()
  return [answer.status, answer.ok ? undefined : (JSON.parse(text) as { code: string }).code]
}
const write = async (key: number, bins: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway.url}${records}/${key}?keytype=integer`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(bins),
  })
const read = (key: number) =>
  call<{ bins: object; generation: number }>(gateway, 'GET', `${records}/${key}?keytype=integer`)

beforeAll(async () => {
  await start()
  await call(gateway, 'POST', '/api/v1/namespaces', config)
})
afterAll(async () => {
  await gateway.stop()
  removeHome(home)
})

test('a namespace tells its cluster, and that its numbers are estimates', async () => {
  const namespace = await call<Record<string, unknown>>(gateway, 'GET', '/api/v1/namespaces/far')
  expect(namespace).toMatchObject({
    state: 'ready',
    cluster: { keyspace: 'ts_far' },
    capabilities: { ttl: true, counts: 'estimated' },
    records: 0,
    sets: 0,
  })
  expect((namespace['cluster'] as { nodes: unknown[] }).nodes).toHaveLength(points.length)
  expect(JSON.stringify(namespace)).not.toContain('contactPoints')
})

test('records are written, read, changed and deleted on conditions', async () => {
  expect((await write(1, { n: 1 }, { 'if-none-match': '*' })).status).toBe(201)
  expect((await write(1, { n: 2 }, { 'if-none-match': '*' })).status).toBe(412)
  expect(await read(1)).toMatchObject({ bins: { n: 1 }, generation: 1 })
  expect((await write(1, { n: 3 }, { 'if-match': '"1"' })).status).toBe(200)
  expect((await write(1, { n: 4 }, { 'if-match': '"1"' })).status).toBe(412)
  const added = await send(gateway, 'POST', '/v1/operate/far/s/1?keytype=INTEGER', [
    { operation: 'ADD', opValues: { bin: 'n', incr: 39 } },
    { operation: 'READ', opValues: { bin: 'n' } },
  ])
  expect(await added.json()).toMatchObject({ bins: { n: 42 } })
  expect(await status('DELETE', `${records}/1?keytype=integer`)).toEqual([204, undefined])
  expect(await status('GET', `${records}/1?keytype=integer`)).toEqual([404, 'record_not_found'])
  expect(await status('DELETE', `${records}/1?keytype=integer`)).toEqual([404, 'record_not_found'])
})

test('batches are written and read, and a time to live ends', async () => {
  const lines = Array.from({ length: 100 }, (_, key) => JSON.stringify({ key, bins: { n: key } })).join('\n')
  const batch = await fetch(gateway.url + records, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/x-ndjson' },
    body: lines,
  })
  expect(await batch.json()).toMatchObject({ written: 100 })
  const keys = Array.from({ length: 120 }, (_, key) => key)
  const found = await send(gateway, 'POST', '/api/v1/namespaces/far/sets/s/read', keys, 'application/x-ndjson')
  const answers = (await found.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { missing?: boolean })
  expect(answers.map(({ missing }) => missing === true)).toEqual(keys.map((key) => key >= 100))
  const brief = await fetch(`${gateway.url}${records}/200?keytype=integer&ttlSeconds=1`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: '{"n":1}',
  })
  expect(brief.status).toBe(201)
  await expect
    .poll(() => status('GET', `${records}/200?keytype=integer`), { timeout: 60_000 })
    .toEqual([404, 'record_not_found'])
})

test('scans, queries, streams, exports and counts go over all records', async () => {
  const ask = (path: string, body: object) =>
    lines<{ key?: number }>(gateway, 'POST', `/api/v1/namespaces/far/${path}`, body)
  const where = { bin: 'n', op: 'lt', value: 10 }
  const plan = await call<object>(gateway, 'POST', '/api/v1/namespaces/far/scan', { set: 's', explain: true })
  expect(plan).toMatchObject({ method: 'token-ranges' })
  expect(plan).not.toHaveProperty('estimatedRecords')
  const keys = (rows: { key?: number }[]) => rows.flatMap(({ key }) => key ?? []).toSorted((a, b) => a - b)
  expect(keys(await ask('scan', { set: 's', threads: 4 }))).toEqual(Array.from({ length: 100 }, (_, key) => key))
  expect(keys(await ask('query', { set: 's', where, order: { bin: 'n', desc: true }, limit: 3 }))).toEqual([7, 8, 9])
  const first = keys(await ask('query', { set: 's', limit: 60 }))
  expect(first).toHaveLength(60)
  const exported = await send(gateway, 'GET', '/api/v1/namespaces/far/export?format=csv&set=s')
  expect((await exported.text()).trim().split('\n')).toHaveLength(101)
  const job = await call<Job>(gateway, 'POST', '/api/v1/jobs', { kind: 'count', namespace: 'far', set: 's', where })
  expect(await finish(gateway, job)).toMatchObject({ result: { records: 10 } })
})

test('sets are listed, made and truncated, and say about how much they hold', async () => {
  const sets = async () =>
    (await call<{ items: { name: string; records: number }[] }>(gateway, 'GET', far('sets'))).items.toSorted((a, b) =>
      a.name.localeCompare(b.name),
    )
  await expect.poll(sets).toMatchObject([{ name: 's', records: 100 }])
  expect(await call(gateway, 'POST', far('sets'), { name: 'brief' })).toMatchObject({ name: 'brief', records: 0 })
  expect(await status('POST', far('sets'), { name: 'x', distributionBin: 'n' })).toEqual([
    501,
    'capability_unsupported',
  ])
  expect(await status('POST', far('sets'), { name: 'a/b' })).toEqual([400, 'name_invalid'])
  for (const key of [1, 2, 3]) {
    const put = await send(gateway, 'PUT', far(`sets/brief/records/${key}?keytype=integer`), { n: key })
    expect(put.status).toBe(201)
  }
  expect(await call(gateway, 'GET', far('size?set=brief'))).toMatchObject({ records: 3 })
  expect(await status('POST', far('scan'), { set: 'nobody' })).toEqual([404, 'set_not_found'])
  const preview = await call(gateway, 'DELETE', far('sets/brief?dryRun=true'))
  expect(preview).toMatchObject({ records: 3 })
  const job = await call<Job>(gateway, 'DELETE', far('sets/brief'))
  expect(await status('GET', far('sets/brief/records/1?keytype=integer'))).toEqual([404, 'record_not_found'])
  expect(await finish(gateway, job)).toMatchObject({ kind: 'truncate', state: 'done', result: { records: 3 } })
  expect(await status('DELETE', far('sets/nobody'))).toEqual([404, 'set_not_found'])
  await expect.poll(sets).toMatchObject([
    { name: 'brief', records: 0 },
    { name: 's', records: 100 },
  ])
  const metrics = await (await send(gateway, 'GET', '/metrics')).text()
  expect(metrics).toContain('tessera_records{namespace="far"} 100')
})

test('indexes are built, asked and dropped', async () => {
  const where = { bin: 'n', op: 'between', value: [20, 29] }
  const ask = (body: object) => lines<{ key?: number }>(gateway, 'POST', far('query'), { set: 's', where, ...body })
  const keys = async (body: object) => (await ask(body)).flatMap(({ key }) => key ?? []).toSorted((a, b) => a - b)
  const index = { name: 'by-n', set: 's', bin: 'n', kind: 'range' }
  const build = await call<Job>(gateway, 'POST', far('indexes'), index)
  expect(await finish(gateway, build)).toMatchObject({ kind: 'index-build', state: 'done', result: { records: 100 } })
  expect(await status('POST', far('indexes'), index)).toEqual([409, 'index_exists'])
  const listed = await call<object>(gateway, 'GET', far('indexes/by-n'))
  expect(listed).toMatchObject({ state: 'ready', entries: 100, bytes: 0 })
  expect(listed).not.toHaveProperty('terms')
  expect(await keys({})).toEqual([20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
  expect(await keys({ useIndex: 'never' })).toEqual(await keys({ useIndex: 'by-n' }))
  const plan = await call(gateway, 'POST', far('query'), { set: 's', where, explain: true })
  expect(plan).toMatchObject({ method: 'range-index', index: 'by-n', estimatedCandidates: 10 })
  const switched = await call<Job>(gateway, 'PATCH', far('sets/s'), { index: true })
  expect(await finish(gateway, switched)).toMatchObject({ kind: 'set-index-build', state: 'done' })
  const scan = await call(gateway, 'POST', far('scan'), { set: 's', explain: true })
  expect(scan).toMatchObject({ method: 'set-index', estimatedRecords: 100 })
  expect(await call(gateway, 'DELETE', far('indexes/by-n'))).toMatchObject({ indexes: 1 })
  expect(await status('GET', far('indexes/by-n'))).toEqual([404, 'index_not_found'])
  expect(await call(gateway, 'PATCH', far('sets/s'), { index: false })).toMatchObject({ kind: 'set-index-build' })
  expect(await keys({})).toHaveLength(10)
})

test('more copies than the nodes can hold are refused, and leave nothing behind', async () => {
  const many = { name: 'many', storage: { ...config.storage, cluster: { name: 'local', replication: 9 } } }
  expect(await status('POST', '/api/v1/namespaces', many)).toEqual([400, 'config_invalid'])
  const fit = { ...config, name: 'many' }
  await call(gateway, 'POST', '/api/v1/namespaces', fit)
})

test('what is not there yet is refused with a reason', async () => {
  for (const [method, path, body] of [
    ['POST', 'scan', { segments: [0] }],
    ['GET', 'segments'],
    ['PATCH', 'sets/s', { limits: { maxRecords: 1 } }],
  ] as const) {
    const answer = await status(method, `/api/v1/namespaces/far/${path}`, body)
    expect([path, ...answer]).toEqual([path, 501, 'capability_unsupported'])
  }
})

test('a restart finds the records, and a second namespace never shows them by accident', async () => {
  await write(300, { n: 1 })
  await gateway.stop()
  await start()
  expect(await read(300)).toMatchObject({ bins: { n: 1 } })
  expect(await status('DELETE', '/api/v1/namespaces/far')).toEqual([200, undefined])
  expect(await status('POST', '/api/v1/namespaces', config)).toEqual([409, 'namespace_exists'])
  const { engine, cluster } = config.storage
  await call(gateway, 'POST', '/api/v1/namespaces', {
    ...config,
    storage: { engine, cluster: { ...cluster, attach: true } },
  })
  expect(await read(300)).toMatchObject({ bins: { n: 1 } })
})
