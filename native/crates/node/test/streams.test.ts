import { expect, test } from 'vitest'
import type { ScanSpec, Store } from '../dist/index.js'
import { failure, lines, open } from './store.js'

const whole: ScanSpec = { threads: 2, shape: 'record' }

/** Writes `count` records of about `size` bytes to the set `s`. */
async function fill(store: Store, count: number, size = 10): Promise<void> {
  const line = (n: number): string => `{"key":${n},"bins":{"n":${n},"t":"${'x'.repeat(size)}"}}`
  for (let from = 0; from < count; from += 5000) {
    const lines = Array.from({ length: Math.min(5000, count - from) }, (_, n) => line(from + n))
    const report = await store.writeRecords('ns', 's', Buffer.from(lines.join('\n')), {
      atomic: false,
      exists: 'upsert',
    })
    expect(report.rejectedTotal).toBe(0)
  }
}

test('a scan returns every record once, in chunks of whole lines', async () => {
  const store = await open()
  await fill(store, 20_000, 40)
  const stream = await store.scan('ns', { ...whole, set: 's' })
  const keys = (await lines(stream)).map((line) => (JSON.parse(line) as { key: number }).key)
  expect(keys.sort((a, b) => a - b)).toEqual([...Array(20_000).keys()])
  expect(stream.summary()).toMatchObject({ returned: 20_000, scanned: 20_000, method: 'set-column', threads: 2 })
  expect(await stream.next()).toBeNull()
  expect(await store.waitJob(stream.jobId, 10_000)).toMatchObject({ kind: 'scan', state: 'done', done: 20_000 })
})

test('a scan or a count in the background answers with its job', async () => {
  const store = await open()
  await fill(store, 1000)
  const where = Buffer.from('{"bin":"n","op":"lt","value":7}')
  const scan = await store.tally('ns', { kind: 'scan', set: 's', threads: 2, useIndex: 'never' })
  const count = await store.tally('ns', { kind: 'count', threads: 1, where })
  store.attributeJob(count.id, 'token')
  const done = async (id: string): Promise<object> => {
    const { state, kind, who, result } = await store.waitJob(id, 30_000)
    return { state, kind, who, result: JSON.parse(result ?? '') as object }
  }
  expect(await done(scan.id)).toMatchObject({ state: 'done', kind: 'scan', result: { records: 1000, scanned: 1000 } })
  expect(await done(count.id)).toEqual({
    state: 'done',
    kind: 'count',
    who: 'token',
    result: { records: 7, scanned: 1000 },
  })
  expect((await failure(() => store.tally('ns', { kind: 'sum' as 'scan', threads: 1 }))).code).toBe('config_invalid')
  expect((await failure(() => store.attributeJob('none', 'token'))).code).toBe('job_not_found')
})

test('a small scan needs no promise of the addon, a page goes on at its cursor, filters choose', async () => {
  const store = await open()
  await fill(store, 300)
  const first = await store.scan('ns', { ...whole, set: 's', limit: 200, bins: [] })
  expect(await lines(first)).toHaveLength(200)
  const { cursor, truncated } = first.summary()
  expect(truncated).toBe(true)
  const second = await store.scan('ns', { ...whole, set: 's', limit: 200, cursor: cursor ?? '' })
  expect(await lines(second)).toHaveLength(100)
  const where = Buffer.from('{"bin":"n","op":"lt","value":7}')
  expect(await lines(await store.scan('ns', { ...whole, where }))).toHaveLength(7)
  where.fill(0)
})

test('a set index is switched on, used and switched off', async () => {
  const store = await open()
  await fill(store, 1000)
  expect(await store.explainScan('ns', { ...whole, set: 's' })).toMatchObject({
    method: 'set-column',
    estimatedRecords: 1000,
    threads: 2,
  })
  expect((await failure(() => store.scan('ns', { ...whole, set: 's', useIndex: 'force' }))).code).toBe(
    'index_not_found',
  )
  const job = await store.switchSetIndex('ns', 's', true, 2)
  expect(await store.waitJob(job.id, 30_000)).toMatchObject({ kind: 'set-index-build', state: 'done' })
  expect((await store.explainScan('ns', { ...whole, set: 's' })).method).toBe('set-index')
  expect(await lines(await store.scan('ns', { ...whole, set: 's', useIndex: 'force' }))).toHaveLength(1000)
  expect((await store.sets('ns'))[0]?.index.state).toBe('on')
  expect(await store.switchSetIndex('ns', 's', false)).toMatchObject({ state: 'done' })
  expect((await failure(() => store.switchSetIndex('ns', 's', false))).code).toBe('index_not_found')
})

test('an index is built, described and dropped', async () => {
  const store = await open()
  await fill(store, 1000)
  const job = await store.createIndex('ns', { name: 'by_n', bin: 'n', kind: 'range', threads: 2 })
  expect(await store.waitJob(job.id, 30_000)).toMatchObject({ kind: 'index-build', state: 'done' })
  expect(await store.index('ns', 'by_n')).toMatchObject({
    namespace: 'ns',
    kind: 'range',
    state: 'ready',
    entries: 1000,
    jobId: job.id,
  })
  expect((await failure(() => store.createIndex('ns', { name: 'by_n', bin: 'n', kind: 'range' }))).code).toBe(
    'index_exists',
  )
  expect(await store.dropIndex('ns', 'by_n')).toMatchObject({ indexes: 1 })
  expect(await store.indexes('ns')).toEqual([])
  expect((await failure(() => store.dropIndex('ns', 'by_n'))).code).toBe('index_not_found')
})

test('a query is planned, uses the index and pages', async () => {
  const store = await open()
  await fill(store, 3000)
  const where = Buffer.from('{"bin":"n","op":"lt","value":20}')
  expect(JSON.parse(await store.explainQuery('ns', { where }))).toMatchObject({
    method: 'all',
    estimatedCandidates: 3000,
  })
  const { id } = await store.createIndex('ns', { name: 'by_n', bin: 'n', kind: 'range' })
  await store.waitJob(id, 30_000)
  const plan = JSON.parse(await store.explainQuery('ns', { where })) as { estimatedCandidates: number }
  expect(plan).toMatchObject({ method: 'range-index', index: 'by_n', segments: 256 })
  // An index may propose a little too much: 20 itself here.
  expect(plan.estimatedCandidates).toBeLessThanOrEqual(21)
  const query = await store.query('ns', { where, select: ['n'], limit: 15 })
  const first = await lines(query)
  const { cursor, truncated, method } = query.summary()
  expect([truncated, method]).toEqual([true, 'range-index'])
  const rest = await lines(await store.query('ns', { where, select: ['n'], limit: 15, cursor: cursor ?? '' }))
  const numbers = [...first, ...rest].map((line) => (JSON.parse(line) as { bins: { n: number } }).bins.n)
  expect(numbers.sort((a, b) => a - b)).toEqual([...Array(20).keys()])
  expect(store.job(query.jobId)).toMatchObject({ kind: 'query', state: 'done' })
})

test('a routed query asks one segment', async () => {
  const store = await open()
  await store.createSet('ns', { name: 'events', distributionBin: 'repo' })
  const line = (n: number): string => `{"key":${n},"bins":{"repo":${n % 10},"n":${n}}}`
  const body = Buffer.from(Array.from({ length: 500 }, (_, n) => line(n)).join('\n'))
  await store.writeRecords('ns', 'events', body, { atomic: false, exists: 'upsert' })
  const spec = { set: 'events', route: '7', where: Buffer.from('{"bin":"repo","op":"eq","value":7}') }
  expect(JSON.parse(await store.explainQuery('ns', spec))).toMatchObject({ segments: 1 })
  expect(await lines(await store.query('ns', spec))).toHaveLength(50)
  expect((await failure(() => store.query('ns', { ...spec, route: '{}' }))).code).toBe('route_invalid')
})

test('an export is read back by an import', async () => {
  const store = await open()
  await fill(store, 100)
  const csv = await lines(await store.export('ns', { set: 's', format: 'csv', columns: ['n', 't'] }))
  expect(csv).toHaveLength(101)
  const session = await store.beginImport('ns', { set: 'copy', format: 'csv', key: 'key', threads: 1 })
  await session.write(Buffer.from(`${csv.join('\n')}\n`))
  expect(await session.finish()).toMatchObject({ inserted: 100, rejectedTotal: 0 })
  const stream = await store.export('ns', { set: 'copy', format: 'ndjson' })
  expect(await lines(stream)).toHaveLength(100)
  expect(store.job(stream.jobId).kind).toBe('export')
  expect((await failure(() => store.export('ns', { format: 'xml' as 'csv' }))).code).toBe('config_invalid')
})

test('truncating says first what would go', async () => {
  const store = await open()
  await fill(store, 50)
  expect(await store.previewTruncate('ns', 's')).toMatchObject({ records: 50, indexes: 0 })
  expect((await failure(() => store.previewTruncate('ns', 'none'))).code).toBe('set_not_found')
  const { id } = await store.truncate('ns', 's')
  expect(await store.waitJob(id, 10_000)).toMatchObject({ kind: 'truncate', state: 'done' })
  expect(await store.size('ns')).toBe(0)
})

test('an aborted scan fails its reader and ends its job', async () => {
  const store = await open()
  await fill(store, 30_000, 400)
  const stream = await store.scan('ns', whole)
  expect(await stream.next()).not.toBeNull()
  stream.abort()
  const error = await failure(async () => {
    while ((await stream.next()) !== null);
  })
  expect(error.code).toBe('aborted')
  expect((await store.waitJob(stream.jobId, 10_000)).state).toBe('aborted')
  expect((await failure(() => store.abortJob(stream.jobId))).code).toBe('job_finished')
})

test('a job is paused, changed and resumed while its stream waits', async () => {
  const store = await open()
  await fill(store, 30_000, 400)
  const stream = await store.scan('ns', { ...whole, recordsPerSecond: 1000 })
  expect(store.patchJob(stream.jobId, { paused: true }).state).toBe('paused')
  const patched = store.patchJob(stream.jobId, { paused: false, threads: 1, recordsPerSecond: 0 })
  expect(patched).toMatchObject({ state: 'running', threads: 1 })
  expect((await failure(() => store.patchJob(stream.jobId, { threads: 1000 }))).code).toBe('threads_invalid')
  expect(await lines(stream)).toHaveLength(30_000)
})

test('memory stays flat while a slow reader takes a long stream', async () => {
  const store = await open()
  await fill(store, 40_000, 1000)
  const resident = async (): Promise<number> => (await store.status()).residentBytes
  const drain = async (): Promise<number> => {
    const stream = await store.scan('ns', whole)
    let bytes = 0
    for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) bytes += chunk.length
    return bytes
  }
  // Two rounds let the allocators settle.
  await drain()
  await drain()
  const before = await resident()
  let bytes = 0
  for (let round = 0; round < 8; round += 1) bytes += await drain()
  expect(bytes).toBeGreaterThan(300e6)
  expect((await resident()) - before).toBeLessThan(64e6)
})

test('what cannot be scanned is refused by code', async () => {
  const store = await open()
  await fill(store, 1)
  const cases: [Partial<ScanSpec>, string, string?][] = [
    [{ set: 'none' }, 'set_not_found', 'set'],
    [{ threads: 0 }, 'threads_invalid', 'threads'],
    [{ threads: 129 }, 'threads_invalid', 'threads'],
    [{ threads: 1.5 }, 'threads_invalid', 'threads'],
    [{ recordsPerSecond: -1 }, 'rate_invalid', 'recordsPerSecond'],
    [{ limit: Number.NaN }, 'config_invalid', 'limit'],
    [{ cursor: 'nonsense' }, 'cursor_invalid'],
    [{ where: Buffer.from('{"bin":"n"}') }, 'filter_invalid'],
    [{ where: Buffer.from('{') }, 'json_invalid'],
    [{ useIndex: 'often' as 'auto' }, 'config_invalid', 'useIndex'],
    [{ shape: 'round' as 'v1' }, 'config_invalid', 'shape'],
  ]
  for (const [part, code, field] of cases) {
    const error = await failure(() => store.scan('ns', { ...whole, ...part }))
    expect([error.code, error.field], error.message).toEqual([code, field ?? error.field])
  }
})
