import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorCodes, openStore, type NamespaceConfig } from '../dist/index.js'
import { failure, folder, open, put } from './store.js'

test('namespaces are made, changed, described and dropped', async () => {
  const store = await open()
  const made = await store.createNamespace({
    name: 'two',
    storage: { engine: 'memory' },
    segments: 16,
    defaultTtlSeconds: 60,
  })
  expect(made).toMatchObject({
    name: 'two',
    state: 'ready',
    records: 0,
    config: { segments: 16, durability: 'none', defaultTtlSeconds: 60 },
  })
  expect(await store.updateNamespace('two', { maxRecordBytes: 4096 })).toMatchObject({
    config: { maxRecordBytes: 4096, defaultTtlSeconds: 60 },
  })
  expect((await store.segments('two')).map(({ segment }) => segment)).toEqual([...Array(16).keys()])
  expect(await store.createSet('two', { name: 'events', distributionBin: 'repo' })).toMatchObject({
    name: 'events',
    distributionBin: 'repo',
    index: { state: 'off' },
  })
  expect(await store.dropNamespace('two', true, false)).toEqual({ records: 0, bytes: 0, indexes: 0 })
  expect(await store.namespaces()).toHaveLength(2)
  await store.dropNamespace('two', false, false)
  expect((await failure(() => store.namespace('two'))).code).toBe('namespace_not_found')
})

test('a configuration that cannot be is refused by field', async () => {
  const store = await open()
  const memory = { engine: 'memory' } as const
  const cases: [Partial<Record<keyof NamespaceConfig, unknown>>, string, string][] = [
    [{ name: 'a/b' }, 'name_invalid', 'name'],
    [{ name: '..' }, 'name_invalid', 'name'],
    [{ name: 'nul\0' }, 'name_invalid', 'name'],
    [{ name: 'ns' }, 'namespace_exists', 'name'],
    [{ segments: 3 }, 'segment_count_invalid', 'segments'],
    [{ segments: -1 }, 'segment_count_invalid', 'segments'],
    [{ segments: 2 ** 32 + 1 }, 'segment_count_invalid', 'segments'],
    [{ segments: Number.NaN }, 'segment_count_invalid', 'segments'],
    [{ defaultTtlSeconds: 1e12 }, 'ttl_invalid', 'defaultTtlSeconds'],
    [{ maxRecordBytes: 1.5 }, 'config_invalid', 'maxRecordBytes'],
    [{ durability: 'commit' }, 'config_invalid', 'durability'],
    [{ durability: 'never' }, 'config_invalid', 'durability'],
    [{ stopWritesPercent: 0 }, 'config_invalid', 'stopWritesPercent'],
    [{ evictAtPercent: 90 }, 'config_invalid', 'evictAtPercent'],
    [{ storage: { engine: 'memory', maxMemoryBytes: -1 } }, 'config_invalid', 'maxMemoryBytes'],
    [{ storage: { engine: 'device', maxMemoryBytes: 1 } }, 'config_invalid', 'maxMemoryBytes'],
    [{ storage: { engine: 'tape' } }, 'config_invalid', 'storage.engine'],
    [{ storage: { engine: 'device', flushIntervalMs: 0 } }, 'config_invalid', 'flushIntervalMs'],
  ]
  for (const [part, code, field] of cases) {
    const error = await failure(() => store.createNamespace({ name: 'x', storage: memory, ...part } as NamespaceConfig))
    expect([error.code, error.field]).toEqual([code, field])
  }
  expect((await store.namespaces()).map(({ name }) => name)).toEqual(['ns'])
})

test('the configuration survives a restart, and one process holds a directory', async () => {
  const directory = folder()
  const first = await open(directory)
  await first.createNamespace({ name: 'kept', storage: { engine: 'memory' }, segments: 8 })
  expect((await failure(() => openStore({ dataDirectory: directory }))).code).toBe('data_directory_locked')
  await first.close()
  await first.close()
  expect((await failure(() => first.namespace('ns'))).code).toBe('closed')
  const second = await open(directory)
  expect((await second.namespaces()).map(({ name }) => name)).toEqual(['ns', 'kept'])
  expect((await second.namespace('kept')).config.segments).toBe(8)
})

test('the way of device I/O is asked for by name, and what it is comes back', async () => {
  const asked = await openStore({ dataDirectory: folder(), io: 'threads' })
  expect((await asked.status()).io).toEqual({ backend: 'threads', reason: 'as configured' })
  await asked.close()
  const error = await failure(() => openStore({ dataDirectory: folder(), io: 'tape' as 'auto' }))
  expect([error.code, error.field]).toEqual(['config_invalid', 'io'])
})

test('a directory that is none is a failure', async () => {
  const file = join(folder(), 'file')
  writeFileSync(file, '')
  expect((await failure(() => openStore({ dataDirectory: file }))).code).toBe('data_directory_unavailable')
})

test('the status adds up', async () => {
  const store = await open()
  await put(store, 'k', { a: 1 })
  const status = await store.status()
  const { total, ...parts } = status.memory
  expect(total).toBe(Object.values(parts).reduce((sum, n) => sum + n, 0))
  expect(status).toMatchObject({ healthy: true, reasons: [], namespaces: 1, records: 1, runningJobs: 0 })
  expect(status.residentBytes).toBeGreaterThan(total)
  expect(status.memoryTotalBytes).toBeGreaterThan(status.residentBytes)
})

test('every code is listed once', () => {
  expect(new Set(errorCodes).size).toBe(errorCodes.length)
  expect(errorCodes).toContain('namespace_not_found')
})

test('an unknown job is a failure, also when waited for', async () => {
  const store = await open()
  expect(await store.jobs({ limit: 9 })).toEqual({ jobs: [], more: false })
  for (const run of [
    () => store.job('x'),
    () => store.abortJob('x'),
    () => store.patchJob('x', { paused: true }),
    () => store.waitJob('x', 1000),
    () => store.waitJob('x', Number.NaN),
  ]) {
    expect((await failure(run)).code).toBe('job_not_found')
  }
})
