import { expect, test } from 'vitest'
import { lossOf, partsOf, walkSeconds } from './scale-model.mjs'
import { ringOf, rowsOfNodes } from './scale-ring.mjs'
import { scaleOf } from './scale.mjs'

const shape = { nodes: 12, tokens: 16, copies: 3, records: 1e9, seed: 7 }
const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)
const whole = { cores: 16, gigabits: 10 }

test('the ring is whole, and each part has as many nodes as copies', () => {
  const ring = ringOf(shape)
  expect(ring[0]?.from).toBe(0)
  expect(ring.at(-1)?.to).toBe(1)
  expect(ring.slice(1).every(({ from }, at) => from === ring[at]?.to)).toBe(true)
  expect(ring.every(({ replicas }) => new Set(replicas).size === 3)).toBe(true)
  // What is behind the last token belongs to the node of the first one.
  expect(ring.at(-1)?.replicas).toEqual(ring[0]?.replicas)
  expect(ringOf({ ...shape, nodes: 2 }).every(({ replicas }) => replicas.length === 2)).toBe(true)
})

test('nodes have about the same, and all have each record as often as there are copies', () => {
  const ring = ringOf(shape)
  const held = rowsOfNodes(ring, shape.nodes)
  const rows = sum(ring.map((range) => range.rows))
  expect(Math.abs(rows / shape.records - 1)).toBeLessThan(1e-3)
  expect(sum(held)).toBe(3 * rows)
  expect(Math.max(...held) / Math.min(...held)).toBeLessThan(1.6)
})

test('a seed gives the same figures, and another one others', () => {
  const run = (seed: number) => scaleOf({ ...shape, ...whole, nodes: 4, seed })
  expect(run(1)).toEqual(run(1))
  expect(run(1)['mostPartitionsPerNode']).not.toBe(run(2)['mostPartitionsPerNode'])
})

const server = { cores: 16, rowsPerSecond: Infinity }
const work = { nodeUs: 10, serverUs: 1 }

test('the parts of a walk have all rows', () => {
  const ring = ringOf(shape)
  const parts = partsOf(ring)
  expect(parts).toHaveLength(512)
  expect(sum(parts.flat().map(({ rows }) => rows))).toBeCloseTo(sum(ring.map(({ rows }) => rows)), 0)
})

test('a walk is as fast as what is scarcest: its worker, its server, or its nodes', () => {
  const ranges = partsOf(ringOf(shape))
  const rows = sum(ranges.flat().map((part) => part.rows))
  const walk = (how: object) =>
    walkSeconds(ranges, { workers: 1, asked: 1, work: { ...work, workerPerSecond: 1e5 }, server, cores: 16, ...how })
  expect(walk({})).toBeCloseTo(rows / 1e5, 0)
  expect(walk({ server: { cores: 16, rowsPerSecond: 1e4 }, workers: 8 })).toBeCloseTo(rows / 1e4, 0)
  expect(walk({ cores: 0.1 })).toBeCloseTo(rows / 1e4, 0)
  const eight = walk({ workers: 8 })
  expect(eight).toBeGreaterThanOrEqual(rows / 8e5)
  expect(eight).toBeLessThan(walk({}) / 7)
  // More workers than ranges have nothing to do.
  expect(walk({ workers: 600 })).toBe(walk({ workers: 512 }))
})

const constants = {
  rowBytes: 1000,
  indexBytes: 0,
  filterBytes: 0,
  read: work,
  write: work,
  scan: work,
  build: work,
}
const machine = { cores: 16, networkBytes: 1e9, streamBytes: 1e8 }

test('the loss of a node of three is carried by the two others', () => {
  const ring = ringOf({ ...shape, nodes: 3 })
  const loss = lossOf(ring, 3, constants, machine)
  // Both send half of all records, and each read asks them, not two of three.
  expect(loss.partners).toBe(2)
  expect(loss.load).toBeCloseTo(1.5, 9)
  expect(loss.second).toBeCloseTo(1, 9)
  expect(loss.seconds).toBeCloseTo((sum(ring.map(({ rows }) => rows)) * 1000) / 2 / 1e8, 3)
})

test('in a large cluster many nodes restore one, and a second loss meets few records', () => {
  const large = lossOf(ringOf({ ...shape, nodes: 60 }), 60, constants, machine)
  const small = lossOf(ringOf(shape), 12, constants, machine)
  expect(large.seconds).toBeLessThan(small.seconds)
  expect(large.second).toBeLessThan(small.second)
  expect(large.load).toBeLessThan(small.load)
})
