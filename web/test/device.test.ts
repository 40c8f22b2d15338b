import { describe, expect, test } from 'vitest'
import type { BlockMap, DeviceLoad, DiskLoad } from '../src/api/types'
import { cellAfter, cellAt, gridFor } from '../src/charts/cell-grid'
import { textOf, unitOf } from '../src/charts/spec/formats'
import { topTicks } from '../src/charts/spec/ticks'
import { FrameBuffer } from '../src/live/buffer'
import {
  cellSize,
  cellWords,
  composition,
  mapWords,
  parts,
  totals,
  wholeOf,
} from '../src/pages/namespaces/device/block-map'
import { deviceColumns, newestSecond, together } from '../src/pages/namespaces/device/figures'
import { frameOf } from './frames'

const BLOCK = 1000

function disk(path: string, part: Partial<DiskLoad> = {}): DiskLoad {
  return {
    path,
    readBytesPerSecond: 0,
    writeBytesPerSecond: 0,
    readsPerSecond: 0,
    writesPerSecond: 0,
    syncsPerSecond: 0,
    queueDepth: 0,
    inFlight: 0,
    busyPercent: 0,
    ...part,
  }
}

function load(disks: DiskLoad[], namespace = 'ledger'): DeviceLoad {
  const rates = { appendedBytesPerSecond: 0, movedBytesPerSecond: 0 }
  return { namespace, flushQueueBytes: 7, defragQueueBlocks: 2, ...rates, disks }
}

describe('figures', () => {
  test('disks as one: sums, latencies weighed by operations, shares averaged', () => {
    const one = together([
      disk('a', { readsPerSecond: 30, readLatencyMs: 1, queueDepth: 2, busyPercent: 80, readBytesPerSecond: 100 }),
      disk('b', { readsPerSecond: 10, readLatencyMs: 5, queueDepth: 1, busyPercent: 20, readBytesPerSecond: 50 }),
    ])
    expect(one).toMatchObject({ reads: 40, readMs: 2, depth: 3, busyPercent: 50, readBytes: 150, writeBytes: 0 })
    expect(one.writeMs).toBeNaN()
  })

  test('a second without a frame, or without the namespace, is a gap and not a zero', () => {
    const buffer = new FrameBuffer(1000, 60_000)
    buffer.add(
      frameOf(1000, [], { devices: [load([disk('a', { readsPerSecond: 5 }), disk('b', { readsPerSecond: 7 })])] }),
    )
    buffer.add(frameOf(3000, [], { devices: [load([disk('a')], 'other')] }))
    buffer.add(frameOf(4000, [], {}))
    const frames = buffer.frames(0, 4000)
    expect(frames.map(({ start, frame }) => [start, frame?.timeMs])).toEqual([
      [0, 1000],
      [1000, undefined],
      [2000, 3000],
      [3000, 4000],
    ])
    const reads = (path?: string) => deviceColumns(frames, 'ledger', path).map(({ figures }) => figures?.reads)
    expect(reads()).toEqual([12, undefined, undefined, undefined])
    expect(reads('b')).toEqual([7, undefined, undefined, undefined])
    expect(reads('gone')).toEqual([undefined, undefined, undefined, undefined])
    expect(deviceColumns(frames, 'ledger', 'b')[0]?.load?.flushQueueBytes).toBe(7)
  })

  test('the newest second is of the last two columns, else what the report says', () => {
    const seconds = [load([disk('a', { readsPerSecond: 5 }), disk('b', { readsPerSecond: 7 })]), undefined, undefined]
    const columns = (loads: (DeviceLoad | undefined)[]) =>
      deviceColumns(
        loads.map((one, at) => ({
          start: at * 1000,
          frame: frameOf((at + 1) * 1000, [], one === undefined ? {} : { devices: [one] }),
        })),
        'ledger',
        undefined,
      )
    const reported = load([disk('a', { readsPerSecond: 1 }), disk('b', { readsPerSecond: 2 })])
    const reads = (loads: (DeviceLoad | undefined)[], from?: DeviceLoad, path?: string) =>
      newestSecond(columns(loads), from, path).figures?.reads
    expect(reads(seconds.slice(0, 1), reported)).toBe(12)
    expect(reads(seconds.slice(0, 2), reported)).toBe(12)
    expect(reads(seconds, reported)).toBe(3)
    expect(reads([], reported, 'b')).toBe(2)
    expect(newestSecond(columns(seconds), undefined, undefined)).toEqual({ load: undefined, figures: undefined })
  })

  test.each([
    [0, ['0 B', '1 B', '2 B']],
    [900, ['0 B', '500 B', '1000 B']],
    [1010, ['0 B', '512 B', '1.00 KiB']],
    [60e6, ['0 B', '30.0 MiB', '60.0 MiB']],
    [1.3 * 1024 ** 2, ['0 B', '1.00 MiB', '2.00 MiB']],
    [900 * 1024 ** 2, ['0 B', '500 MiB', '1000 MiB']],
    [3 * 1024 ** 4, ['0 B', '2.00 TiB', '4.00 TiB']],
  ])('an axis up to %d bytes is round in the unit of its labels', (most, labels) => {
    const ticks = topTicks(most, unitOf('bytes', most), 2)
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(most)
    expect(ticks.map((tick) => textOf('bytes', tick))).toEqual(labels)
  })
})

/** Five blocks in cells of two: the header and a block half dead; one being written and a free one; one given up. */
const map: BlockMap = {
  blocks: 5,
  blocksPerCell: 2,
  free: [0, 1, 0],
  writing: [0, 1, 0],
  stored: [2, 0, 0],
  freeing: [0, 0, 1],
  unreadable: [0, 0, 0],
  liveBytes: [500, 300, 0],
  tombstoneBytes: [100, 0, 0],
  deadBytes: [400, 0, 0],
}

describe('a map of write blocks', () => {
  test('every byte of a cell is one of the parts', () => {
    expect(composition(map, BLOCK, 0)).toMatchObject({
      live: 500,
      tombstones: 100,
      dead: 400,
      header: 1000,
      writing: 0,
    })
    expect(composition(map, BLOCK, 1)).toMatchObject({ live: 300, writing: 700, free: 1000, header: 0 })
    expect([0, 1, 2].map((cell) => wholeOf(composition(map, BLOCK, cell)))).toEqual([2000, 2000, 1000])
    const both = totals([map, map], BLOCK)
    expect([wholeOf(both), both.live, both.freeing]).toEqual([10_000, 1600, 2000])
    expect(new Set(parts.map(({ colour }) => colour)).size).toBe(parts.length)
  })

  test('is told in words', () => {
    expect([[map], [map, { ...map, blocksPerCell: 1 }], [{ ...map, blocksPerCell: 1 }], []].map(cellSize)).toEqual([
      'a cell is 2 neighbouring blocks, filled from the bottom',
      'a cell is 2 neighbouring blocks, filled from the bottom',
      'a cell is one block, filled from the bottom',
      'no map available',
    ])
    expect(cellWords(map, BLOCK, 0)).toBe('blocks 0 to 1: live 25.0%, tombstones 5.0%, dead 20.0%, header 50.0%')
    expect(cellWords(map, BLOCK, 2)).toBe('block 4: freeing 100%')
    expect(mapWords(map, BLOCK)).toBe(
      '5 blocks of 1000 B: 16.0% live, 2.0% tombstones, 8.0% dead, 14.0% writing, 20.0% freeing, 20.0% header, 20.0% free',
    )
  })

  test.each([
    [1024, 900, 260],
    [1024, 340, 260],
    [4096, 340, 110],
    [3, 900, 260],
    [1, 5, 5],
    [0, 0, 0],
  ])('%i cells in %i by %i pixels', (cells, width, height) => {
    const grid = gridFor(cells, width, height)
    expect(grid.columns * grid.rows).toBeGreaterThanOrEqual(cells)
    expect(grid.side).toBeGreaterThanOrEqual(5)
    expect(grid.columns * grid.pitch - (grid.pitch - grid.side)).toBeLessThanOrEqual(Math.max(width, grid.side))
    for (const cell of [0, cells - 1].filter((one) => one >= 0 && one < cells)) {
      const [x, y] = [(cell % grid.columns) * grid.pitch + 1, Math.floor(cell / grid.columns) * grid.pitch + 1]
      expect(cellAt(grid, cells, x, y)).toBe(cell)
    }
    expect(cellAt(grid, cells, width + 100, 0)).toBeUndefined()
    expect(cellAt(grid, cells, 0, grid.rows * grid.pitch + 1)).toBeUndefined()
  })

  test('keys walk its cells and stay inside', () => {
    const grid = { side: 10, pitch: 12, columns: 4, rows: 3 }
    const go = (key: string, cell: number) => cellAfter(key, cell, grid, 10)
    expect([go('ArrowRight', 0), go('ArrowDown', 1), go('ArrowUp', 5), go('End', 2), go('Home', 7)]).toEqual([
      1, 5, 1, 9, 0,
    ])
    expect([go('ArrowLeft', 0), go('ArrowUp', 3), go('ArrowDown', 7), go('ArrowRight', 9)]).toEqual([0, 3, 7, 9])
    expect(go('Tab', 3)).toBeUndefined()
  })
})
