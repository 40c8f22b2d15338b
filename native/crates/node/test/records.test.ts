import { expect, test } from 'vitest'
import type { KeyInput } from '../dist/index.js'
import { asRecord, failure, lines, open, put, text, upsert } from './store.js'

const json = (bytes: Buffer | null): Record<string, unknown> => JSON.parse(String(bytes)) as Record<string, unknown>

test('a record comes back as written, by each type of key and by its digest', async () => {
  const store = await open()
  const keys: KeyInput[] = [
    text('schlüssel'),
    { type: 'integer', value: -9_223_372_036_854_775_808n },
    { type: 'bytes', value: Buffer.from([0, 1, 255]) },
  ]
  for (const key of keys) {
    const { digest, created, generation } = await store.putRecord(
      'ns',
      's',
      key,
      Buffer.from('{"n":9007199254740993}'),
      upsert,
    )
    expect([created, generation]).toEqual([true, 1])
    const bytes = await store.getRecord('ns', 's', key, asRecord)
    expect(String(bytes)).toContain('"n":9007199254740993')
    expect(json(bytes)).toMatchObject({ set: 's', digest, generation: 1 })
    const byDigest: KeyInput = { type: 'digest', value: Buffer.from(digest, 'hex') }
    expect(await store.getRecord('ns', 's', byDigest, asRecord)).toEqual(bytes)
  }
  expect([await store.size('ns'), store.size('ns', 's'), store.size('ns', 'none')]).toEqual([3, 3, 0])
})

test('a read answers at once from memory, with the bins asked for', async () => {
  const store = await open()
  await put(store, 'k', { a: 1, b: 'x' })
  const found = store.getRecord('ns', 's', text('k'), { shape: 'v1', bins: ['b'] })
  expect(found).not.toBeInstanceOf(Promise)
  expect(json(found as Buffer)).toEqual({ generation: 1, ttl: -1, bins: { b: 'x' } })
  expect(store.getRecord('ns', 's', text('nope'), asRecord)).toBeNull()
  expect(json(await store.getRecord('ns', 's', text('k'), { shape: 'record', bins: [] }))['bins']).toEqual({})
})

test('a large record crosses whole, and what is given away is not the store’s own', async () => {
  const store = await open()
  for (const size of [32 * 1024 - 200, 32 * 1024, 500_000]) {
    await put(store, 'large', { t: 'y'.repeat(size) })
    const first = (await store.getRecord('ns', 's', text('large'), asRecord)) as Buffer
    const copy = Buffer.from(first)
    first.fill(0x58)
    expect(copy.equals((await store.getRecord('ns', 's', text('large'), asRecord)) as Buffer)).toBe(true)
  }
})

test('names and keys of every length and script cross unchanged', async () => {
  const store = await open()
  const keys = [
    'é',
    '\u{1f600}',
    ...[57, 58, 59, 60, 61, 62, 63, 64, 65, 200].flatMap((n) => [
      'x'.repeat(n),
      `${'x'.repeat(n)}é`,
      `${'x'.repeat(n)}\u{1f600}`,
    ]),
  ]
  for (const key of keys) {
    await put(store, key, { n: 1 })
    expect(json(await store.getRecord('ns', 's', text(key), asRecord))['key']).toBe(key)
  }
  expect(await store.size('ns')).toBe(keys.length)
})

test('writes keep their conditions', async () => {
  const store = await open()
  const write = (bins: string, options: object): Promise<unknown> =>
    store.putRecord('ns', 's', text('k'), Buffer.from(bins), { ...upsert, ...options })
  expect((await failure(() => write('{"a":1}', { exists: 'replace' }))).code).toBe('record_not_found')
  await write('{"a":1,"b":2}', { exists: 'create' })
  expect((await failure(() => write('{"a":1}', { exists: 'create' }))).code).toBe('record_exists')
  expect((await failure(() => write('{"a":1}', { generation: 7 }))).code).toBe('generation_mismatch')
  await write('{"b":null,"c":3}', { exists: 'update', generation: 1 })
  expect(json(await store.getRecord('ns', 's', text('k'), asRecord))['bins']).toEqual({ a: 1, c: 3 })
  expect((await failure(() => store.deleteRecord('ns', 's', text('k'), { generation: 9 }))).code).toBe(
    'generation_mismatch',
  )
  expect(await store.deleteRecord('ns', 's', text('k'), { generation: 2 })).toBe(true)
  expect(await store.deleteRecord('ns', 's', text('k'), {})).toBe(false)
})

test('a batch takes the good lines and names the bad ones, or takes none', async () => {
  const store = await open()
  await put(store, 'old', { a: 0 })
  const ndjson = Buffer.from(
    '{"key":"a","bins":{"n":1}}\n\n{"key":"b","bins":{"n":}}\r\n{"key":"old","op":"delete"}\n{"key":7,"bins":{}}',
  )
  expect(await store.writeRecords('ns', 's', ndjson, { atomic: true, exists: 'upsert' })).toMatchObject({
    written: 0,
    deleted: 0,
    rejectedTotal: 1,
  })
  expect(await store.size('ns')).toBe(1)
  const report = await store.writeRecords('ns', 's', ndjson, { atomic: false, exists: 'upsert' })
  expect(report).toMatchObject({
    written: 2,
    deleted: 1,
    rejectedTotal: 1,
    rejected: [{ line: 3, code: 'json_invalid' }],
  })
  const read = async (keys: string, bins?: string[]): Promise<unknown[]> =>
    (await lines(store.readRecords('ns', 's', Buffer.from(keys), bins))).map((line) => JSON.parse(line) as unknown)
  expect(await read('["a","b",7]')).toMatchObject([
    { key: 'a', bins: { n: 1 } },
    { key: 'b', missing: true },
    { key: 7, bins: {} },
  ])
  expect(await read('"b"\n"a"', [])).toMatchObject([
    { key: 'b', missing: true },
    { key: 'a', bins: {} },
  ])
})

test('a batch of reads is pulled chunk by chunk, and can be let go', async () => {
  const store = await open()
  await put(store, 'k', { t: 'x'.repeat(400_000) })
  const reads = store.readRecords('ns', 's', Buffer.from('"k"\n'.repeat(100)))
  expect((await reads.next())?.length).toBeLessThan(1_000_000)
  expect(reads.summary()).toMatchObject({ returned: 1, scanned: 1, method: 'keys' })
  reads.abort()
  // Whoever waits for the end comes to it: the work of the other 99 is not done.
  let rest = 0
  for (let chunk = await reads.next(); chunk !== null; chunk = await reads.next()) rest += 1
  expect(rest).toBeLessThan(99)
})

test('bytes are copied before anything waits', async () => {
  const store = await open()
  const lines = Buffer.from('{"key":"a","bins":{"n":1}}')
  const written = store.writeRecords('ns', 's', lines, { atomic: false, exists: 'upsert' })
  lines.fill(0)
  expect((await written).written).toBe(1)
})

test('bad keys, bins and options are refused by code', async () => {
  const store = await open()
  const get = (key: unknown): unknown => store.getRecord('ns', 's', key as KeyInput, asRecord)
  const write = (bins: string, options: object = {}): unknown =>
    store.putRecord('ns', 's', text('k'), Buffer.from(bins), { ...upsert, ...options })
  const cases: [() => unknown, string, string?][] = [
    [() => get(text('')), 'key_invalid', 'key'],
    [() => get(text('x'.repeat(8193))), 'key_too_long', 'key'],
    [() => get({ type: 'integer', value: 2n ** 63n }), 'key_invalid', 'key'],
    [() => get({ type: 'digest', value: Buffer.alloc(19) }), 'key_invalid', 'key'],
    [() => store.getRecord('none', 's', text('k'), asRecord), 'namespace_not_found'],
    [() => store.getRecord('ns', 's', text('k'), { shape: 'record', route: '[1]' }), 'route_invalid', 'route'],
    [() => write('[]'), 'json_invalid'],
    [() => write('{"a":1,"a":2}'), 'json_duplicate_key', 'a'],
    [() => write('{"a":1'), 'json_invalid'],
    [() => write('{}', { exists: 'sometimes' }), 'config_invalid', 'exists'],
    [() => write('{}', { ttlSeconds: -9 }), 'ttl_invalid', 'ttlSeconds'],
    [() => write('{}', { ttlSeconds: 0.5 }), 'ttl_invalid', 'ttlSeconds'],
    [() => write('{}', { generation: 65_536 }), 'config_invalid', 'generation'],
    [() => write('{}', { generationPolicy: 'lower' }), 'config_invalid', 'generationPolicy'],
    [() => write(`{"a":"${'x'.repeat(1_100_000)}"}`), 'record_too_large'],
    [() => store.putRecord('ns', '..', text('k'), Buffer.from('{}'), upsert), 'name_invalid'],
    [() => lines(store.readRecords('ns', 's', Buffer.from('[1.5]'))), 'key_invalid'],
    [() => store.readRecords('none', 's', Buffer.from('[1]')), 'namespace_not_found'],
  ]
  for (const [run, code, field] of cases) {
    const error = await failure(run)
    expect([error.code, error.field], error.message).toEqual([code, field ?? error.field])
  }
  expect(await store.size('ns')).toBe(0)
})
