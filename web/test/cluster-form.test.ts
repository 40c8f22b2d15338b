import { expect, test } from 'vitest'
import { type ClusterMeaning, clusterMeaning, copiesOf, emptyCluster } from '../src/pages/namespaces/new/cluster'
import { settingsOf } from '../src/pages/namespaces/detail/settings'
import type { ClusterForm } from '../src/pages/namespaces/new/fields'

test.each([
  ['', 3],
  [' 5 ', 5],
  ['dc1 3', { dc1: 3 }],
  ['dc1: 3, dc-2=2', { dc1: 3, 'dc-2': 2 }],
])('copies are read: %s', (text, copies) => {
  expect(copiesOf(text)).toEqual(copies)
})

test.each(['0', '65', '1.5', '-1', 'dc1', 'dc1 0', 'dc1 65', 'dc1 3,', 'dc1 3, dc1 2', "d'c 3", 'a b 3'])(
  'what are no copies is refused: %s',
  (text) => {
    expect(copiesOf(text)).toBeUndefined()
  },
)

const meaning = (form: Partial<ClusterForm>): Partial<ClusterMeaning> | undefined =>
  clusterMeaning({ ...emptyCluster, ...form })

test('the defaults take two of three copies, for reads and writes', () => {
  expect(meaning({})).toEqual({ copies: 3, read: 2, write: 2, readsWithout: 1, writesWithout: 1, fresh: 'everywhere' })
})

test('one copy is never without, and a read of one copy may be old', () => {
  expect(meaning({ copies: '1' })).toMatchObject({ read: 1, write: 1, readsWithout: 0, writesWithout: 0 })
  expect(meaning({ clusterReads: 'one' })).toMatchObject({ read: 1, readsWithout: 2, fresh: 'no' })
  expect(meaning({ clusterReads: 'one', clusterWrites: 'all' })).toMatchObject({
    writesWithout: 0,
    fresh: 'everywhere',
  })
})

test('a write needs a majority, though it waits for one copy', () => {
  expect(meaning({ copies: '5', clusterWrites: 'one' })).toMatchObject({ write: 3, writesWithout: 2 })
})

const two = { copies: 'dc1 3, dc2 2', dataCentre: 'dc1' }

test('in two data centres, the near one decides, or both do', () => {
  expect(meaning(two)).toEqual({
    copies: 5,
    read: 2,
    write: 2,
    readsWithout: 1,
    writesWithout: 1,
    fresh: 'local',
  })
  expect(meaning({ ...two, clusterReads: 'quorum', clusterWrites: 'quorum', serial: 'everywhere' })).toMatchObject({
    read: 3,
    write: 3,
    readsWithout: 2,
    fresh: 'everywhere',
  })
  expect(meaning({ ...two, clusterWrites: 'each_quorum' })).toMatchObject({
    write: 4,
    writesWithout: 0,
    fresh: 'everywhere',
  })
  expect(meaning({ ...two, clusterWrites: 'quorum' })).toMatchObject({ fresh: 'no' })
})

test('nothing is said of copies that cannot be read', () => {
  expect(meaning({ copies: 'many' })).toBeUndefined()
})

test('the settings of a namespace on a cluster are those that it has', () => {
  const cluster = {
    name: 'prod',
    replication: { dc1: 3, dc2: 2 },
    reads: 'quorum',
    timeoutMs: 5000,
    speculation: { afterMs: 300, most: 2 },
  } as const
  const config = {
    name: 'far',
    storage: { engine: 'cassandra', cluster },
    segments: 256,
    stopWritesPercent: 90,
  } as const
  expect(settingsOf(config).map(({ label, text }) => [label, text])).toEqual([
    ['storage engine', 'cassandra'],
    ['cluster', 'prod'],
    ['copies when made', '3 in dc1, 2 in dc2'],
    ['a read asks', 'quorum'],
    ['timeout of a request', '5,000 ms'],
    ['a slow read', 'asks 2 other nodes at most, each after 300 ms'],
    ['bins per record', 'any number'],
  ])
  const still = {
    ...config,
    storage: { engine: 'cassandra', cluster: { ...cluster, speculation: { afterMs: 1, most: 0 } } },
  } as const
  expect(settingsOf(still).map(({ text }) => text)).toContain('asks no other node')
})
