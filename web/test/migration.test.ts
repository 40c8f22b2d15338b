import { expect, test } from 'vitest'
import type { NamespaceConfig } from '../src/api/types'
import { nextOf } from '../src/pages/namespaces/migrate/steps'
import { formOf, targetOf } from '../src/pages/namespaces/migrate/target'

const GIB = 1024 ** 3
const paged: NamespaceConfig = {
  name: 'vault',
  storage: {
    engine: 'paged',
    capacityBytes: 5_000_000_001,
    flushIntervalMs: 1000,
    pageBytes: 16_384,
    cacheBytes: 300_000_000,
    checkpointLogBytes: 536_870_912,
    checkpointIntervalSeconds: 300,
    cachedIo: false,
  },
  segments: 4,
  container: 'segmented',
  durability: 'relaxed',
}

test('a form that nobody has changed asks for nothing', () => {
  const memory: NamespaceConfig = { name: 'm', storage: { engine: 'memory', maxMemoryBytes: 3 * GIB }, segments: 64 }
  const flat: NamespaceConfig = { ...memory, container: 'flat', durability: 'none' }
  const device: NamespaceConfig = {
    ...paged,
    storage: { engine: 'device', writeBlockBytes: 131_072, devices: [{ path: '/a' }], defragBelowPercent: 40 },
  }
  for (const config of [paged, memory, flat, device]) expect(targetOf(config, formOf(config))).toBeNull()
})

test('a change keeps all other settings of the storage to the byte', () => {
  const form = formOf(paged)
  expect(targetOf(paged, { ...form, pageKib: '64' })).toEqual({ storage: { ...paged.storage, pageBytes: 65_536 } })
  expect(targetOf(paged, { ...form, segments: '1024' })).toEqual({ segments: 1024 })
  expect(targetOf(paged, { ...form, durability: 'commit' })).toEqual({ durability: 'commit' })
  const { capacityBytes: _, ...without } = paged.storage
  expect(targetOf(paged, { ...form, capacityGib: '' })).toEqual({ storage: without })
})

test('another engine takes the fields of that engine', () => {
  const form = formOf(paged)
  expect(targetOf(paged, { ...form, engine: 'memory', maxMemoryGib: '2', container: 'flat' })).toEqual({
    storage: { engine: 'memory', maxMemoryBytes: 2 * GIB },
    container: 'flat',
  })
  expect(targetOf(paged, { ...form, engine: 'device', capacityGib: '1' })?.storage).toEqual({
    engine: 'device',
    capacityBytes: GIB,
    flushIntervalMs: 1000,
  })
})

test('a cluster gets its settings and nothing of this machine, and comes back with a durability', () => {
  const form = formOf(paged)
  expect(targetOf(paged, { ...form, engine: 'cassandra', cluster: 'prod', copies: '2' })).toEqual({
    storage: { engine: 'cassandra', cluster: { name: 'prod', replication: 2 } },
  })
  const far: NamespaceConfig = {
    name: 'far',
    storage: { engine: 'cassandra', cluster: { name: 'prod', replication: 3 } },
    segments: 4096,
    durability: 'relaxed',
  }
  expect(targetOf(far, { ...formOf(far), engine: 'device' })).toEqual({
    storage: { engine: 'device' },
    durability: 'commit',
  })
})

test('devices of the namespace are not those of its second store', () => {
  const config: NamespaceConfig = {
    ...paged,
    storage: { engine: 'device', devices: [{ path: '/dev/one' }], defragBelowPercent: 40 },
  }
  const form = { ...formOf(config), defragBelowPercent: '30' }
  expect(targetOf(config, form)).toEqual({ storage: { engine: 'device', defragBelowPercent: 30 } })
  expect(targetOf(config, { ...form, devices: '/dev/two' })?.storage?.devices).toEqual([{ path: '/dev/two' }])
})

test.each([
  ['copying', false, undefined, 'abandon', false],
  ['verifying', true, undefined, 'finish', false],
  ['doubled', false, 'cut-over', 'abandon', false],
  ['doubled', true, 'roll-back', 'finish', false],
  ['failed', false, undefined, 'abandon', true],
  ['failed', true, undefined, 'finish', true],
] as const)('a migration that is %s, cut over: %s', (phase, cutOver, step, ending, resumes) => {
  const next = nextOf({ phase, cutOver })
  expect([next.step?.path, next.ending.path, next.resumes]).toEqual([step, ending, resumes])
})
