import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { ImportReport, ImportSession, ImportSpec } from '../dist/index.js'
import { asRecord, failure, open, text } from './store.js'

const csv: ImportSpec = { set: 'events', format: 'csv', key: 'id', threads: 2 }

/** Feeds `bytes` in pieces that are cut anywhere. */
async function feed(session: ImportSession, bytes: Buffer, piece = 1000): Promise<ImportReport> {
  for (let at = 0; at < bytes.length; at += piece) await session.write(bytes.subarray(at, at + piece))
  return session.finish()
}

const rows = (count: number): Buffer =>
  Buffer.from(
    `id,name,payload\n${Array.from({ length: count }, (_, n) => `${n},name ${n},"{""n"": ${n}}"`).join('\n')}\n`,
  )

test('a spare chunk is let go, unless it is part of a larger piece', async () => {
  const store = await open()
  const session = await store.beginImport('ns', csv)
  const bytes = rows(2000)
  const part = bytes.subarray(0, bytes.indexOf('\n') + 1)
  await session.write(part, true)
  expect(part.length).toBeGreaterThan(0)
  const rest = Buffer.alloc(bytes.length - part.length)
  bytes.copy(rest, 0, part.length)
  await session.write(rest, true)
  expect([rest.length, rest.buffer.byteLength]).toEqual([0, 0])
  expect(await session.finish()).toMatchObject({ rows: 2000, inserted: 2000 })
})

test('rows cut anywhere are stored, and the job tells', async () => {
  const store = await open()
  const bytes = rows(5000)
  const session = await store.beginImport('ns', { ...csv, bytesTotal: bytes.length })
  expect(await feed(session, bytes)).toMatchObject({
    rows: 5000,
    inserted: 5000,
    updated: 0,
    rejectedTotal: 0,
    bytes: bytes.length,
  })
  expect(await store.size('ns', 'events')).toBe(5000)
  const record = await store.getRecord('ns', 'events', { type: 'integer', value: 4999n }, asRecord)
  expect(String(record)).toContain('"payload":{"n":4999}')
  expect(store.job(session.jobId)).toMatchObject({
    kind: 'import',
    state: 'done',
    unit: 'bytes',
    done: bytes.length,
    total: bytes.length,
  })
  expect((await failure(() => session.write(Buffer.from('x')))).code).toBe('closed')
})

test('bad rows are named by line and the good ones are taken', async () => {
  const store = await open()
  const ndjson = Buffer.from('{"key":"a","n":1}\n{"key":"b",\n{"key":"c","n":3}\n{"key":[],"n":4}')
  const report = await feed(await store.beginImport('ns', { set: 's', format: 'ndjson', threads: 1 }), ndjson)
  expect(report).toMatchObject({ rows: 4, inserted: 2, rejectedTotal: 2 })
  expect(report.rejected.map(({ line, code }) => [line, code])).toEqual([
    [2, 'json_invalid'],
    [4, 'key_invalid'],
  ])
  expect(await store.getRecord('ns', 's', text('c'), asRecord)).not.toBeNull()
})

test('a packed stream is unpacked, a dry run stores nothing and shows the first rows', async () => {
  const store = await open()
  const session = await store.beginImport('ns', { ...csv, encoding: 'gzip', dryRun: true })
  const report = await feed(session, gzipSync(rows(100)))
  expect(report.rows).toBe(100)
  expect(report.sample?.trimEnd().split('\n')).toHaveLength(20)
  expect(await store.size('ns')).toBe(0)
})

test('chunks are copied, and a full queue makes the writer wait', async () => {
  const store = await open()
  const session = await store.beginImport('ns', { ...csv, threads: 1 })
  const bytes = rows(20_000)
  const chunk = Buffer.alloc(64 * 1024)
  for (let at = 0; at < bytes.length; at += chunk.length) {
    const length = bytes.copy(chunk, 0, at)
    const room = session.write(chunk.subarray(0, length))
    chunk.fill(0)
    await room
  }
  expect(await session.finish()).toMatchObject({ inserted: 20_000, rejectedTotal: 0 })
})

test('an aborted import fails its writer and keeps what was stored', async () => {
  const store = await open()
  const session = await store.beginImport('ns', csv)
  await session.write(rows(1000))
  session.abort()
  expect((await failure(() => session.finish())).code).toBe('aborted')
  expect((await store.waitJob(session.jobId, 10_000)).state).toBe('aborted')
  expect((await failure(() => session.write(rows(1)))).code).toBe('aborted')
})

test('closing the store ends an import that nobody finishes', async () => {
  const store = await open()
  const session = await store.beginImport('ns', csv)
  await session.write(rows(1000))
  await store.close()
  expect((await failure(() => session.finish())).code).toBe('closed')
})

test('what cannot be imported is refused by field', async () => {
  const store = await open()
  const cases: [Partial<ImportSpec>, string, string][] = [
    [{ format: 'xml' as 'csv' }, 'config_invalid', 'format'],
    [{ encoding: 'brotli' as 'gzip' }, 'encoding_invalid', 'encoding'],
    [{ keyType: 'uuid' as 'auto' }, 'config_invalid', 'keyType'],
    [{ mode: 'replace' as 'upsert' }, 'config_invalid', 'mode'],
    [{ threads: 0 }, 'threads_invalid', 'threads'],
    [{ set: '..' }, 'name_invalid', 'set'],
    [{ types: { a: 'date' as 'auto' } }, 'config_invalid', 'types'],
    [{ header: false }, 'config_invalid', 'columns'],
    [{ ttlSeconds: -5 }, 'ttl_invalid', 'ttlSeconds'],
    [{ bytesTotal: -1 }, 'config_invalid', 'bytesTotal'],
  ]
  for (const [part, code, field] of cases) {
    const error = await failure(() => store.beginImport('ns', { ...csv, ...part }))
    expect([error.code, error.field], error.message).toEqual([code, field])
  }
  expect(store.runningJobs()).toEqual([])
})

test('a dropped namespace gives its memory back, while the session object is still held', async () => {
  const store = await open()
  const session = await store.beginImport('ns', { set: 's', format: 'ndjson', threads: 2 })
  const line = (n: number): string => `{"key":${n},"t":"${'x'.repeat(1000)}"}\n`
  for (let from = 0; from < 80_000; from += 1000) {
    await session.write(Buffer.from(Array.from({ length: 1000 }, (_, n) => line(from + n)).join('')))
  }
  expect(await session.finish()).toMatchObject({ inserted: 80_000 })
  const full = await store.status()
  expect(full.memory.records).toBeGreaterThan(80e6)
  await store.dropNamespace('ns', false, true)
  // What becomes free is kept for a moment for who stores as much anew.
  await expect.poll(async () => (await store.status()).residentBytes).toBeLessThan(full.residentBytes - 50e6)
  expect((await failure(() => session.write(Buffer.from('x')))).code).toBe('closed')
})
