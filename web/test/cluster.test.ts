import { expect, test } from 'vitest'
import type { ClusterView } from '../src/api/types'
import { partOf, stretchesOf } from '../src/pages/namespaces/cluster/ranges'
import { troublesOf } from '../src/pages/namespaces/cluster/troubles'

const smallest = -(2n ** 63n)
const quarter = 2n ** 62n
/** A quarter of the ring. */
const range = (at: bigint, replicas: number[]) => ({
  first: String(smallest + at * quarter),
  last: String(smallest + (at + 1n) * quarter - 1n),
  replicas,
})

test('what a node has of the ring is told by stretches, neighbours of one kind as one', () => {
  const ranges = [range(0n, [0, 1]), range(1n, [0, 2]), range(2n, [1, 0]), range(3n, [2, 1])]
  expect(stretchesOf(ranges, 0)).toEqual([
    { from: 0, to: 0.5, owned: true },
    { from: 0.5, to: 0.75, owned: false },
  ])
  expect(stretchesOf(ranges, 2)).toEqual([
    { from: 0.25, to: 0.5, owned: false },
    { from: 0.75, to: 1, owned: true },
  ])
  expect(partOf(stretchesOf(ranges, 1))).toBe(0.75)
  expect(stretchesOf(ranges, 3)).toEqual([])
  expect(partOf([])).toBe(0)
})

const node = (address: string, more: object = {}): ClusterView['nodes'][number] => ({
  id: address,
  address,
  connected: true,
  state: 'NORMAL',
  tokens: 16,
  share: 1,
  hintFiles: 0,
  schemaVersion: 'a',
  ...more,
})
const cluster = (nodes: ClusterView['nodes']): ClusterView => ({
  name: 'c',
  keyspace: 'k',
  nodes,
  ranges: [],
  exact: true,
})

test('a healthy cluster has no troubles, and one that tells little has none either', () => {
  expect(troublesOf(cluster([node('a'), node('b')]))).toEqual([])
  const { state: _, hintFiles: __, ...silent } = node('a')
  expect(troublesOf(cluster([silent]))).toEqual([])
})

test('each trouble names its nodes', () => {
  const { schemaVersion: _, ...gone } = node('a', { connected: false })
  expect(
    troublesOf(
      cluster([
        { ...gone, hintFiles: 2 },
        node('b', { error: 'no answer in 5000 ms' }),
        node('c', { state: 'LEAVING', schemaVersion: 'b' }),
      ]),
    ),
  ).toEqual([
    'Not connected: a.',
    'Connected, but without an answer: b.',
    'Other nodes keep writes that these have missed: a.',
    'The state of c is LEAVING.',
    'The nodes have 2 versions of the schema.',
  ])
})
