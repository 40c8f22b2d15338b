import { describe, expect, test } from 'vitest'
import type { NamespaceConfig, Segment } from '../src/api/types'
import { intervalsOf, placeOn, timesText } from '../src/pages/lab/drawings/segments-intervals'
import { viridis } from '../src/charts/viridis'
import { ownershipProblems } from '../src/components/fields/ownership'
import { configOf, emptyForm, problemsOf, refusalOf } from '../src/pages/namespaces/new/form'
import { settingsOf } from '../src/pages/namespaces/detail/settings'
import { withPoll } from '../src/pages/namespaces/segments/heat'
import { segmentOf } from '../src/pages/namespaces/segments/search'
import { inkAt } from '../src/pages/namespaces/segments/segment-paint'
import {
  factsOf,
  levelsOf,
  mapOf,
  mapWords,
  measuresOf,
  nodeLevel,
  roleOf,
  segmentWords,
  totalsOf,
  valuesOf,
} from '../src/pages/namespaces/segments/segment-map'

const KIB = 1024

/** Four segments of three nodes, two of which own each. */
const segments: Segment[] = [
  {
    segment: 0,
    records: 30,
    liveBytes: 3 * KIB,
    allocatedBytes: 4 * KIB,
    owners: [1, 0],
    primary: true,
    reads: 10,
    writes: 5,
  },
  {
    segment: 1,
    records: 10,
    liveBytes: KIB,
    allocatedBytes: 4 * KIB,
    owners: [2, 1],
    primary: false,
    reads: 0,
    writes: 0,
  },
  { segment: 2, records: 0, liveBytes: 0, allocatedBytes: 0, owners: [0, 2], primary: false, reads: 0, writes: 0 },
  {
    segment: 3,
    records: 20,
    liveBytes: 2 * KIB,
    allocatedBytes: 4 * KIB,
    owners: [1, 2],
    primary: true,
    reads: 2,
    writes: 0,
  },
]
const config: NamespaceConfig = {
  name: 'shop',
  storage: { engine: 'memory' },
  ownership: { nodes: 3, owners: 2, self: 1 },
}
const plain: NamespaceConfig = { name: 'shop', storage: { engine: 'memory' } }
const polled = (seconds: number, reads: number) => ({
  at: 1_000_000 + seconds * 1000,
  segments: segments.map((segment, at) => (at === 3 ? { ...segment, reads } : segment)),
})
const heat = withPoll(withPoll(undefined, polled(0, 2)), polled(2, 42))

describe('the heat of segments', () => {
  test('is what they were asked between two polls, a second', () => {
    expect(withPoll(undefined, polled(0, 2))).toEqual({ newest: polled(0, 2) })
    expect(heat.perSecond).toEqual([0, 0, 0, 20])
    expect(withPoll(heat, polled(6, 50)).perSecond).toEqual([0, 0, 0, 2])
  })

  test('is none where counters begin anew, and unknown where there are other segments', () => {
    expect(withPoll(heat, polled(3, 0)).perSecond).toEqual([0, 0, 0, 0])
    expect(withPoll(heat, { at: polled(3, 0).at, segments: segments.slice(0, 2) }).perSecond).toBeUndefined()
    expect(withPoll(heat, polled(2, 99)).perSecond).toBeUndefined()
  })
})

describe('a map of segments', () => {
  const map = mapOf(heat, config)

  test('tells what the node is to each', () => {
    expect(segments.map((segment) => roleOf(map, segment))).toEqual(['primary', 'backup', 'other', 'primary'])
    expect(segmentWords(map, 0)).toBe('segment 0: primary here (nodes 1, 0), 30 records, 3.00 KiB, 0/s')
    expect(segmentWords(map, 2)).toBe('segment 2: on other nodes (nodes 0, 2), 0 records, 0 B, 0/s')
    expect(mapWords(map)).toBe('4 segments with 60 records; 2 primary here, 1 backup here, 1 on other nodes')
    expect(measuresOf(map)).toEqual(['role', 'node', 'records', 'bytes', 'heat'])
  })

  test('adds them up', () => {
    expect(totalsOf(map)).toEqual({
      segments: 4,
      roles: { primary: 2, backup: 1, other: 1 },
      records: 60,
      primaryRecords: 50,
      heat: 20,
      fullest: { segment: 0, records: 30, overMean: 1.5 },
    })
    expect(totalsOf(mapOf({ newest: { at: 0, segments: [] } }, plain))).toEqual({
      segments: 0,
      roles: { primary: 0, backup: 0, other: 0 },
      records: 0,
      primaryRecords: 0,
    })
  })

  test('without ownership and of a flat container tells what there is', () => {
    const bare = segments.map(({ segment, records, liveBytes, reads, writes }) => ({
      segment,
      records,
      liveBytes,
      reads,
      writes,
      primary: true,
    }))
    const flat = mapOf({ newest: { at: 0, segments: bare } }, { ...plain, container: 'flat' })
    expect(measuresOf(flat)).toEqual(['records', 'bytes', 'heat'])
    expect(segmentWords(flat, 0)).toBe('segment 0: 30 records, 3.00 KiB')
    expect(mapWords(flat)).toBe('4 segments with 60 records')
    const dashes = { role: '–', owners: '–', allocated: '–', heat: '–' }
    expect(factsOf(flat, 3)).toEqual({ ...dashes, records: '20', bytes: '2.00 KiB' })
    expect(factsOf(map, 3)).toMatchObject({ owners: '1, 2', allocated: '4.00 KiB', heat: '20/s' })
    expect(totalsOf(flat).roles).toEqual({ primary: 4, backup: 0, other: 0 })
  })

  test('has colours from none to the most, and those of nodes apart', () => {
    expect(levelsOf(valuesOf(map, 'records'))).toEqual([255, 85, undefined, 170])
    expect(levelsOf(valuesOf(map, 'heat'))).toEqual([undefined, undefined, undefined, 255])
    expect(levelsOf([0, 0])).toEqual([undefined, undefined])
    expect([0, 1, 2, 3].map((node) => nodeLevel(node, 4))).toEqual([0, 85, 170, 255])
    expect(nodeLevel(0, 1)).toBe(0)
  })

  test('has numbers that can be read on every colour', () => {
    // Relative luminance and contrast: WCAG 2.2.
    const linear = (byte: number): number => (byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4)
    const low = [...viridis].flatMap((word, level) => {
      const [red, green, blue] = [word & 255, (word >>> 8) & 255, (word >>> 16) & 255].map(linear) as [
        number,
        number,
        number,
      ]
      const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
      const contrast = inkAt(level) === '#000' ? (luminance + 0.05) / 0.05 : 1.05 / (luminance + 0.05)
      return contrast < 4.5 ? [level] : []
    })
    expect(low).toEqual([])
  })
})

test('the address names a segment', () => {
  expect([17, 0, -1, 1.5, Number.NaN, '3', undefined].map(segmentOf)).toEqual([17, 0, ...Array(5).fill(undefined)])
})

describe('an ownership in a form', () => {
  test('is refused where it cannot be', () => {
    const ok = { nodes: '4', owners: '2', self: '3' }
    expect(ownershipProblems(ok)).toEqual({})
    expect(ownershipProblems({ ...ok, self: '4' })).toEqual({ self: '0 to 3, a node number' })
    expect(ownershipProblems({ ...ok, owners: '5' })).toEqual({ owners: '1 to 4, the number of nodes' })
    expect(Object.keys(ownershipProblems({ nodes: 'x', owners: '0', self: '' }))).toEqual(['nodes', 'owners', 'self'])
  })

  test('goes into the configuration only where it is wanted, as the container does', () => {
    const form = { ...emptyForm, name: 'a', self: '9' }
    expect(configOf(form)).toEqual({ name: 'a', storage: { engine: 'memory' }, segments: 256 })
    expect(problemsOf(form)).toEqual({})
    expect(problemsOf({ ...form, owned: true })).toEqual({ self: '0 to 3, a node number' })
    const owned = { ...form, owned: true, self: '1', container: 'flat' } as const
    expect(configOf(owned)).toMatchObject({ container: 'flat', ownership: { nodes: 4, owners: 2, self: 1 } })
    expect(configOf({ ...owned, engine: 'device' })).not.toHaveProperty('container')
  })

  test('shows what the server refuses at its field', () => {
    expect(refusalOf('ownership.self', 'no')).toEqual({ self: 'no' })
    expect(refusalOf('ownership', 'no')).toEqual({ nodes: 'no' })
    expect(refusalOf('container', 'no')).toEqual({ container: 'no' })
  })

  test('reads in the settings', () => {
    const row = (of: NamespaceConfig, key: string) => settingsOf(of).find((one) => one.key === key)?.text
    expect(row(config, 'ownership')).toBe('node 1 of 3, 2 owners')
    expect(row(plain, 'ownership')).toBe('none')
    expect(row({ ...plain, container: 'flat' }, 'container')).toBe('flat: one map for all segments')
  })
})

describe('the ratios of the lab', () => {
  const published = [
    { operation: 'size', says: 'almost three times as fast', low: 3, high: 3 },
    { operation: 'get', says: 'within 1%', low: 0.99, high: 1.01 },
  ]
  const row = { operation: 'get', opsPerSecond: 9, per: 'gets/s', ratio: 1.02, low: 0.98, high: 1.05, pairs: 41 }
  const intervals = intervalsOf(published, [
    { ...row, container: 'flat' },
    { ...row, container: 'segmented' },
  ])

  test('are those of the published operations that were measured', () => {
    const { operation, says, ratio, low, high, pairs } = { ...row, says: 'within 1%' }
    expect(intervals).toEqual([{ operation, says, published: [0.99, 1.01], ratio, low, high, pairs }])
  })

  test('lie on an axis that has all of them, and 1', () => {
    const [interval] = intervals
    if (interval === undefined) throw new Error('there is none')
    const { axis, at } = placeOn(interval)
    expect(axis[0]).toBeCloseTo(0.973, 6)
    expect(axis[1]).toBeCloseTo(1.057, 6)
    expect([at(axis[0]), at(axis[1])]).toEqual(['0%', '100%'])
    const same = placeOn({ ...interval, published: [1, 1], ratio: 1, low: 1, high: 1 })
    expect(Number.parseFloat(same.at(1))).toBeCloseTo(50, 6)
  })

  test('read with the digits that they need', () => {
    expect([0, 1.0034, 3.456, 291.7].map(timesText)).toEqual(['0×', '1.003×', '3.46×', '292×'])
  })
})
