// A device namespace: what may touch the disk is a promise, completed from a thread of the core.
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore, type JobInfo, type Store } from '../dist/index.js'
import { asRecord, failure, folder, lines, open, text, upsert } from './store.js'

const device = { engine: 'device', writeBlockBytes: 16_384 } as const

async function withDevice(directory: string, durability: 'commit' | 'relaxed'): Promise<Store> {
  const store = await open(directory)
  await store.createNamespace({ name: 'disk', storage: device, segments: 8, durability })
  return store
}

const bins = (n: number): Buffer => Buffer.from(`{"n":${n},"t":"${'x'.repeat(1000)}"}`)

test('writes are promises, and reads of what left memory are', async () => {
  const directory = folder()
  const first = await withDevice(directory, 'relaxed')
  for (let n = 0; n < 200; n += 1) await first.putRecord('disk', 's', text(`k${n}`), bins(n), upsert)
  await first.close()
  const store = await open(directory)
  expect(await store.size('disk')).toBe(200)
  const asked = Array.from({ length: 200 }, (_, n) => store.getRecord('disk', 's', text(`k${n}`), asRecord))
  expect(asked.filter((answer) => answer instanceof Promise).length).toBeGreaterThan(100)
  const found = (await Promise.all(asked)).map((bytes) => (JSON.parse(String(bytes)) as { bins: { n: number } }).bins.n)
  expect(found).toEqual([...Array(200).keys()])
  const byInteger = await store.getRecord('disk', 's', text('k7'), { shape: 'v1', bins: ['n'] })
  expect(JSON.parse(String(byInteger))).toMatchObject({ bins: { n: 7 } })
  expect(await store.deleteRecord('disk', 's', text('k7'), {})).toBe(true)
  expect(await store.getRecord('disk', 's', text('k7'), asRecord)).toBeNull()
})

test('many commits at once share their waits and all hold after a restart', async () => {
  const directory = folder()
  const first = await withDevice(directory, 'commit')
  await Promise.all(Array.from({ length: 100 }, (_, n) => first.putRecord('disk', 's', text(`k${n}`), bins(n), upsert)))
  const refused = first.putRecord('disk', 's', text('k1'), bins(1), { ...upsert, exists: 'create' })
  expect((await failure(() => refused)).code).toBe('record_exists')
  await first.close()
  expect(await (await open(directory)).size('disk')).toBe(100)
})

test('a device namespace describes its device', async () => {
  const store = await withDevice(folder(), 'commit')
  await store.putRecord('disk', 's', text('k'), bins(1), upsert)
  const info = await store.namespace('disk')
  expect(info).toMatchObject({
    state: 'ready',
    records: 1,
    config: { durability: 'commit', storage: { engine: 'device', writeBlockBytes: 16_384 } },
    capabilities: { durability: ['relaxed', 'commit'] },
    device: { damagedReads: 0 },
    recovery: { start: 'cold', reason: 'the namespace is new', records: 0, torn: 0, damaged: 0, damage: [] },
  })
  expect(info.device?.bytesWritten).toBeGreaterThan(1000)
})

test('a device that cannot be opened is named, and comes back when its file does', async () => {
  const directory = folder()
  const first = await withDevice(directory, 'commit')
  await first.createNamespace({ name: 'other', storage: device })
  await first.putRecord('disk', 's', text('k'), bins(1), upsert)
  await first.close()
  const [file, aside] = ['namespaces/2/data.tsr', 'aside'].map((path) => join(directory, path)) as [string, string]
  renameSync(file, aside)
  const store = await open(directory)
  expect((await store.namespaces()).map(({ name, state }) => [name, state])).toEqual([
    ['ns', 'ready'],
    ['disk', 'failed'],
    ['other', 'ready'],
  ])
  expect((await store.namespace('disk')).stateCode).toBe('data_file_missing')
  expect(await store.status()).toMatchObject({
    healthy: false,
    notices: [{ namespace: 'disk', code: 'data_file_missing' }],
  })
  expect(await failure(() => store.size('disk'))).toMatchObject({ code: 'namespace_failed', retryable: false })
  expect((await failure(() => store.reopenNamespace('disk', false))).code).toBe('data_file_missing')
  renameSync(aside, file)
  expect(await store.reopenNamespace('disk', false)).toMatchObject({
    state: 'ready',
    records: 1,
    recovery: { start: 'warm', records: 1 },
  })
  expect((await store.status()).healthy).toBe(true)
})

test('closing while calls wait loses none of their answers', async () => {
  const store = await openStore({ dataDirectory: folder() })
  await store.createNamespace({ name: 'disk', storage: device, durability: 'commit' })
  const writes = Array.from({ length: 50 }, (_, n) => store.putRecord('disk', 's', text(`k${n}`), bins(n), upsert))
  const closed = store.close()
  const outcomes = await Promise.allSettled(writes)
  await closed
  const codes = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [(outcome.reason as { code: string }).code] : [],
  )
  expect(codes.filter((code) => code !== 'closed')).toEqual([])
})

test('paused jobs that hold every thread of the engine keep no call waiting', async () => {
  const store = await withDevice(folder(), 'commit')
  await store.createNamespace({ name: 'wide', storage: { engine: 'memory' }, segments: 256 })
  await store.createSet('wide', { name: 's' })
  const rows = Array.from({ length: 5000 }, (_, n) => `{"key":${n},"bins":{"n":${n}}}`)
  await store.writeRecords('wide', 's', Buffer.from(rows.join('\n')), { atomic: false, exists: 'upsert' })
  // Throttled: every worker waits after its first records, so that no job ends before it is paused.
  const hold = async (): Promise<JobInfo> => {
    const { id } = await store.tally('wide', {
      kind: 'scan',
      set: 's',
      threads: 128,
      recordsPerSecond: 1,
      useIndex: 'never',
    })
    return store.patchJob(id, { paused: true })
  }
  const jobs = await Promise.all([hold(), hold(), hold(), hold()])
  await store.putRecord('disk', 's', text('k'), bins(2), upsert)
  expect(JSON.parse(String(await store.getRecord('disk', 's', text('k'), asRecord)))).toMatchObject({ bins: { n: 2 } })
  const keys = Buffer.from('"k"\n')
  expect(await lines(store.readRecords('disk', 's', keys))).toHaveLength(1)
  await store.createNamespace({ name: 'late', storage: { engine: 'memory' } })
  expect(jobs.map(({ id }) => store.job(id).state)).toEqual(jobs.map(() => 'paused'))
})

test('what the start of a paged namespace reads is in no amplification', async () => {
  const directory = folder()
  const first = await open(directory)
  await first.createNamespace({ name: 'paged', storage: { engine: 'paged' }, segments: 8, durability: 'relaxed' })
  for (let n = 0; n < 200; n += 1) await first.putRecord('paged', 's', text(`k${n}`), bins(n), upsert)
  await first.close()
  const store = await open(directory)
  expect((await store.namespace('paged')).device?.bytesRead).toBeGreaterThan(0)
  expect((await store.pagesReport('paged')).traffic).toMatchObject({ pagesReadBytes: 0 })
  await store.getRecord('paged', 's', text('k7'), asRecord)
  expect((await store.pagesReport('paged')).traffic.pagesReadBytes).toBeGreaterThan(0)
})
