import { describe, expect, test } from 'vitest'
import type { PageMap, PagesLoad, PagesReport } from '../src/api/types'
import { specOf, emptyForm as emptyRun, ycsbPresets } from '../src/pages/benchmarks/run-form'
import { configOf, emptyForm, problemsOf, refusalOf, withEngine } from '../src/pages/namespaces/new/form'
import { meaningOf } from '../src/pages/namespaces/new/paged'
import { hitPercent, newestLoad, pageReads, pagesColumns } from '../src/pages/namespaces/storage/figures'
import { cellTexts, cellWords, levelOf, mapWords, pagesIn, totalsOf } from '../src/pages/namespaces/storage/page-map'
import { figuresOf } from '../src/pages/namespaces/storage/PageTiles'
import { goesOn, readsSince } from '../src/pages/namespaces/storage/reads'
import { sizeRows, verdict } from '../src/pages/namespaces/storage/what-if'

const KIB = 1024
const RING = 255 * 1024 * KIB
const START = Date.parse('2026-11-22T12:00:00Z')

/** Ten pages in cells of four: full of records, half index and cold, free. */
const map: PageMap = {
  pages: 10,
  pagesPerCell: 4,
  kinds: ['segment', 'leaf', 'slot_map', 'data'],
  used: [4, 2, 0],
  kind: [3, 2, -1],
  fillPercent: [100, 40, 0],
  heat: [255, 0, 0],
  age: [0, 255, 255],
}

function report(seconds: number, part: Partial<PagesReport> = {}): PagesReport {
  return {
    namespace: 'ledger',
    at: new Date(START + seconds * 1000).toISOString(),
    pageBytes: 16 * KIB,
    pages: 1000,
    freePages: 100,
    cache: { bytes: 256 * KIB * KIB, frames: 16_384, used: 800, dirty: 5, kinds: [] },
    log: { ringBytes: RING, neededBytes: 0, end: 0, durable: 0, records: 0, imageBytes: 0, syncs: 0 },
    checkpoints: [],
    traffic: {
      recordsReadBytes: 0,
      recordsWrittenBytes: 0,
      pagesReadBytes: 0,
      pagesWrittenBytes: 0,
      logWrittenBytes: 0,
    },
    ...part,
  }
}

const load: PagesLoad = {
  logRingBytes: RING,
  logNeededBytes: 77,
  recordsReadBytesPerSecond: 500,
  recordsWrittenBytesPerSecond: 0,
  pagesReadBytesPerSecond: 8000,
  pagesWrittenBytesPerSecond: 750,
  logWrittenBytesPerSecond: 250,
  readAmplification: 16,
  index: { hits: 90, misses: 10 },
  slotMap: { hits: 0, misses: 0 },
  records: { hits: 0, misses: 3 },
}

describe('a map of pages', () => {
  test('is coloured by fill, heat and age; what is free has no colour', () => {
    const levels = (measure: 'fill' | 'heat' | 'age') => [0, 1, 2].map((cell) => levelOf(map, cell, measure))
    expect(levels('fill')).toEqual([255, 102, undefined])
    expect(levels('heat')).toEqual([255, 0, undefined])
    expect(levels('age')).toEqual([255, 0, undefined])
  })

  test('tells heat of the pages in use, as fill: the map has it of all', () => {
    // Of four pages two are in use, and both are hot.
    const half: PageMap = { ...map, heat: [0, 128, 0] }
    expect(levelOf(half, 1, 'heat')).toBe(255)
    expect(cellTexts(half, RING, 1)[4]).toBe('100%')
    expect(totalsOf(half).hot).toBeCloseTo(2 / 6)
  })

  test('is told in words and as a table', () => {
    expect([0, 1, 2].map((cell) => cellWords(map, RING, cell))).toEqual([
      'pages 0 to 3: mostly data, 100% full, 100% hot, changed 0 B of log ago',
      'pages 4 to 7: 2 in use, mostly slot map, 40% full, 0.0% hot, changed older than the log',
      'pages 8 to 9: free',
    ])
    expect(cellWords({ ...map, pagesPerCell: 1, used: [1] }, RING, 0)).toMatch(/^page 0: mostly data/)
    expect(cellWords({ ...map, age: [51, 0, 0] }, RING, 0)).toContain('changed 51.0 MiB of log ago')
    expect(cellTexts(map, RING, 2)).toEqual(['8 to 9', '0', '–', '–', '–', '–'])
    expect([0, 1, 2].map((cell) => pagesIn(map, cell))).toEqual([4, 4, 2])
    expect(mapWords(map, 16 * KIB)).toBe('10 pages of 16.0 KiB: 60.0% in use, these 80.0% full and 66.7% hot')
  })

  test('adds up', () => {
    expect(totalsOf(map)).toEqual({
      used: 6,
      free: 4,
      fill: expect.closeTo(0.8) as number,
      hot: 4 / 6,
      cells: 2,
      recent: 1,
      kinds: [
        { kind: 'data', pages: 4 },
        { kind: 'slot map', pages: 2 },
      ],
    })
    expect(totalsOf({ ...map, pages: 0, used: [] })).toMatchObject({ used: 0, free: 0, fill: 0, kinds: [] })
  })
})

describe('what pages do', () => {
  const second = (at: number, pages: PagesLoad | undefined) => {
    const device = {
      flushQueueBytes: 0,
      defragQueueBlocks: 0,
      appendedBytesPerSecond: 0,
      movedBytesPerSecond: 0,
      disks: [],
    }
    const devices = [
      { ...device, namespace: 'other' },
      { ...device, namespace: 'ledger', ...(pages && { pages }) },
    ]
    return { start: at, frame: { seq: at, timeMs: at, durationMs: 1000, latency: [], marks: [], devices } }
  }

  test('columns have the load of their namespace, and gaps have none', () => {
    const frames = [second(1, load), { start: 2, frame: undefined }, second(3, undefined), second(4, load)]
    const columns = pagesColumns(frames, 'ledger')
    expect(columns).toEqual(
      [1, 2, 3, 4].map((start) => ({ start, load: start === 1 || start === 4 ? load : undefined })),
    )
    expect(pagesColumns(frames, 'other').map((column) => column.load)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    // The last column may have no frame yet; what is older is not now.
    expect([1, 2, 3, 4].map((end) => newestLoad(columns.slice(0, end)))).toEqual([load, load, undefined, load])
  })

  test('nothing read is no ratio', () => {
    expect(hitPercent(load, 'index')).toBeCloseTo(90)
    expect([hitPercent(load, 'slotMap'), hitPercent(load, 'records')]).toEqual([Number.NaN, 0])
    expect([pageReads(load, 'index'), pageReads(load, 'slotMap')]).toEqual([100, 0])
  })

  test('kinds are read since the report before, not since another opening', () => {
    const log = (end: number) => ({ log: { ...report(0).log, end } })
    const kinds = [{ kind: 'leaf', cached: 1, hits: 10, misses: 10 }]
    const before = report(0, { ...log(50), cache: { ...report(0).cache, kinds } })
    expect(readsSince({ kind: 'leaf', cached: 1, hits: 40, misses: 12 }, before)).toEqual({ hits: 30, misses: 2 })
    expect(readsSince({ kind: 'data', cached: 1, hits: 4, misses: 1 }, before)).toEqual({ hits: 4, misses: 1 })
    expect([report(2, log(50)), report(2, log(49))].map((one) => goesOn(before, one))).toEqual([true, false])
    expect(goesOn(undefined, before)).toBe(false)
  })

  test('nothing read is not the same as nothing known', () => {
    const note = (newest: PagesLoad | undefined): string | undefined => figuresOf(report(0), newest)[4]?.note
    const { readAmplification: _, ...idle } = { ...load, recordsReadBytesPerSecond: 0 }
    expect(note(idle)).toBe('since it was opened; nothing read now')
    expect(note(load)).toBe('since it was opened; now 16.00×')
    expect(note(undefined)).toBe('since it was opened')
  })

  test('tiles say what there is, and nothing of what is not known', () => {
    const tiles = figuresOf(report(0), undefined)
    expect(tiles[4]).toEqual({ value: '–', note: 'since it was opened' })
    expect(tiles[6]).toEqual({ value: '–', note: 'none yet' })
    expect(JSON.stringify(tiles)).not.toContain('NaN')
    const { traffic } = report(0)
    const read = figuresOf(report(0, { traffic: { ...traffic, readAmplification: 16.384 } }), undefined)
    expect(read[4]?.value).toBe('16.38×')
  })
})

describe('what pages of other sizes would cost', () => {
  const size = (kib: number, readBytesPerRead: number) => ({
    pageBytes: kib * KIB,
    missesPerRead: readBytesPerRead / kib / KIB,
    readBytesPerRead,
  })
  const sample = { samples: 10, samplesNeeded: 5, since: new Date(START).toISOString() }

  test('is told against the size that there is', () => {
    const rows = sizeRows({ ...sample, sizes: [size(4, 5000), size(16, 10_000), size(64, 40_000)] }, 16 * KIB)
    expect(rows.map(({ label, current, against, part }) => [label, current, against, part])).toEqual([
      ['4.00 KiB', false, 0.5, 0.125],
      ['16.0 KiB', true, 1, 0.25],
      ['64.0 KiB', false, 4, 1],
    ])
    expect(verdict(rows)).toBe('Pages of 4.00 KiB would read 50% fewer bytes for the same reads.')
  })

  test('recommends nothing where nothing is known, or hardly better', () => {
    expect(verdict(sizeRows({ ...sample, sizes: [] }, 16 * KIB))).toBeUndefined()
    expect(verdict(sizeRows({ ...sample, sizes: [size(4, 9900), size(16, 10_000)] }, 16 * KIB))).toBeUndefined()
    expect(sizeRows({ ...sample, sizes: [size(4, 0), size(16, 0)] }, 16 * KIB)[0]).toMatchObject({ part: 0 })
  })
})

describe('the form of a paged namespace', () => {
  const form = { ...emptyForm, name: 'ledger', engine: 'paged' as const }

  test('sends only what was set', () => {
    expect(configOf(form).storage).toEqual({ engine: 'paged', pageBytes: 16_384 })
    const storage = configOf({
      ...form,
      pageKib: '64',
      cacheMib: '128',
      logMib: '128',
      checkpointSeconds: '60',
      capacityGib: '2',
    }).storage
    expect(storage).toEqual({
      engine: 'paged',
      pageBytes: 65_536,
      cacheBytes: 128 * KIB * KIB,
      checkpointLogBytes: 128 * KIB * KIB,
      checkpointIntervalSeconds: 60,
      capacityBytes: 2 * KIB ** 3,
    })
    expect(configOf(form).durability).toBe('commit')
    expect(configOf({ ...form, durability: 'relaxed' }).durability).toBe('relaxed')
    expect(configOf({ ...form, engine: 'memory' }).durability).toBeUndefined()
    expect(configOf(form).reads).toBeUndefined()
    expect(configOf({ ...form, reads: 'latest' }).reads).toBe('latest')
    expect(configOf({ ...form, reads: 'latest', durability: 'relaxed' }).reads).toBeUndefined()
    expect(configOf({ ...form, writeBlockKib: '16', maxMemoryGib: '1' }).storage).toEqual({
      engine: 'paged',
      pageBytes: 16_384,
    })
  })

  test('a cache has 2,048 pages at least, and the log a ring', () => {
    expect(problemsOf(form)).toEqual({})
    expect(problemsOf({ ...form, cacheMib: '31' }).cacheMib).toBe('At least 32 MiB, for 2,048 pages')
    expect(problemsOf({ ...form, cacheMib: '32', logMib: '65' })).toEqual({})
    expect(problemsOf({ ...form, pageKib: '64', cacheMib: '127' }).cacheMib).toContain('128 MiB')
    expect(Object.keys(problemsOf({ ...form, cacheMib: 'much', logMib: '64' }))).toEqual(['cacheMib', 'logMib'])
    expect(problemsOf({ ...form, checkpointSeconds: '86400' })).toEqual({})
    expect(Object.keys(problemsOf({ ...form, checkpointSeconds: '0' }))).toEqual(['checkpointSeconds'])
    expect(Object.keys(problemsOf({ ...form, checkpointSeconds: '86401' }))).toEqual(['checkpointSeconds'])
  })

  test('says what a page size means, as the engine bounds it', () => {
    const keys = (['4', '8', '16', '32', '64'] as const).map((pageKib) => meaningOf({ ...form, pageKib }).longestKey)
    expect(keys).toEqual([1280, 2560, 5120, 6825, 10_240])
    expect(meaningOf(form)).toMatchObject({ cachedPages: 16_384, records: 15, ownPages: 5461 })
    expect(meaningOf({ ...form, cacheMib: 'much' }).cachedPages).toBe(0)
  })
})

describe('a new namespace', () => {
  test('shows what the server refuses at the field that it names', () => {
    expect(refusalOf('storage.cacheBytes', 'too little')).toEqual({ cacheMib: 'too little' })
    expect(refusalOf('checkpointLogBytes', 'too little')).toEqual({ logMib: 'too little' })
    expect(refusalOf('devices.0.capacityBytes', 'no room')).toEqual({ devices: 'no room' })
    expect([refusalOf('segments', 'x'), refusalOf(undefined, 'x'), refusalOf('constructor', 'x')]).toEqual([{}, {}, {}])
  })

  test('takes nothing of the engine that was chosen before', () => {
    const device = { ...emptyForm, name: 'n', engine: 'device' as const, cachedIo: true, writeBlockKib: '16' }
    expect(configOf({ ...device, ...withEngine('paged') }).storage).toEqual({ engine: 'paged', pageBytes: 16 * KIB })
  })
})

test('a run of YCSB is started as its workload, with its own records', () => {
  const specs = ycsbPresets.map(({ form }) => specOf('n', { ...emptyRun, ...form }))
  expect(specs.map(({ workload }) => workload)).toEqual(['LOAD', 'A', 'B', 'C', 'D', 'E', 'F'].map((w) => `YCSB,${w}`))
  for (const spec of specs) {
    expect(spec).toMatchObject({ set: 'usertable', object: 'S:100', bins: 10 })
    expect(spec).not.toHaveProperty('fill')
  }
})
