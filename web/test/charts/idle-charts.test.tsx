import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { PagesLoad } from '../../src/api/types'
import type { ChartSpec } from '../../src/charts/spec/spec'
import { gapsOf, idleOf } from '../../src/charts/spec/scale'
import { tableOf } from '../../src/charts/spec/table'
import { DeviceCharts } from '../../src/pages/namespaces/device/DeviceCharts'
import type { DeviceColumn, Figures } from '../../src/pages/namespaces/device/figures'
import type { PagesColumn } from '../../src/pages/namespaces/storage/figures'
import { StorageCharts } from '../../src/pages/namespaces/storage/StorageCharts'
import { Staged } from './stage'

const NONE = Number.NaN

/** The chart with this unit and one of these facts. */
function drawn({ drawings }: Staged, fact: string): ChartSpec {
  const spec = drawings.find(({ spec: { facts } }) => facts?.some(({ name }) => name === fact))?.spec
  if (spec === undefined) throw new Error(`no chart has ${fact}`)
  // A worker takes nothing else.
  return structuredClone(spec)
}

const rows = (spec: ChartSpec): string[][] => tableOf(spec, { hidden: [] }).rows.map((row) => row.slice(1))

test('the charts of pages tell a time without reads from one without data', () => {
  const load = (amount: number): PagesLoad => {
    const reads = { hits: amount / 2, misses: amount / 2 }
    return {
      logRingBytes: 9,
      logNeededBytes: 1,
      recordsReadBytesPerSecond: amount,
      recordsWrittenBytesPerSecond: amount,
      pagesReadBytesPerSecond: 0,
      pagesWrittenBytesPerSecond: 0,
      logWrittenBytesPerSecond: 0,
      ...(amount > 0 && { readAmplification: 50, writeAmplification: 50 }),
      index: reads,
      slotMap: reads,
      records: reads,
    }
  }
  const staged = new Staged()
  const columns: PagesColumn[] = [undefined, load(10), load(0), load(0)].map((one, at) => ({
    start: at * 2000,
    load: one,
  }))
  const feed = { version: 0, stepMs: 2000, subscribe: () => () => undefined }
  render(<StorageCharts view={{ columns, range: { from: 0, to: 8000 }, feed }} checkpoints={[]} />, {
    wrapper: staged.around,
  })
  const hits = drawn(staged, 'index reads')
  expect([gapsOf(hits), idleOf(hits), hits.idle]).toEqual([
    [{ from: 0, to: 2000 }],
    [{ from: 4000, to: 8000 }],
    'nothing read',
  ])
  expect(rows(hits).map((row) => [row[0], row[3]])).toEqual([
    ['–', '–'],
    ['50%', '10'],
    ['–', '0'],
    ['–', '0'],
  ])
  const amplification = drawn(staged, 'records written per second')
  expect([gapsOf(amplification).length, idleOf(amplification).length]).toEqual([1, 1])
})

test('the charts of a device tell a second without operations from one without a frame', () => {
  const figures: Figures = {
    readBytes: 0,
    writeBytes: 0,
    reads: 0,
    writes: 0,
    syncs: 0,
    readMs: NONE,
    writeMs: NONE,
    syncMs: NONE,
    depth: 0,
    busyPercent: 0,
  }
  const load = {
    namespace: 'n',
    flushQueueBytes: 0,
    defragQueueBlocks: 0,
    appendedBytesPerSecond: 0,
    movedBytesPerSecond: 0,
    disks: [],
  }
  const columns: DeviceColumn[] = [
    { start: 0, load: undefined, figures: undefined },
    { start: 1000, load, figures },
    { start: 2000, load: { ...load, appendedBytesPerSecond: 64, writeAmplification: 1.5 }, figures },
  ]
  const staged = new Staged()
  const feed = { version: 0, stepMs: 1000, subscribe: () => () => undefined }
  render(<DeviceCharts view={{ columns, range: { from: 0, to: 3000 }, feed }} />, { wrapper: staged.around })
  const amplification = drawn(staged, 'logged per second')
  expect([gapsOf(amplification), idleOf(amplification)]).toEqual([[{ from: 0, to: 1000 }], [{ from: 1000, to: 2000 }]])
  expect(rows(amplification)).toEqual([
    ['–', '–'],
    ['–', '0 B'],
    ['1.5×', '64 B'],
  ])
  const latency = drawn(staged, 'operations')
  expect([gapsOf(latency).length, idleOf(latency)]).toEqual([1, [{ from: 1000, to: 3000 }]])
})
