import { describe, expect, test } from 'vitest'
import { FrameBuffer } from '../src/live/buffer'
import { axisFor, columnRows, rowsFor, shade } from '../src/live/latency/cells'
import { summarise } from '../src/live/latency/summary'
import { addSeries, emptyTotals } from '../src/live/latency/totals'
import { columnStart, MAX_COLUMNS, windows } from '../src/live/window'
import { readLiveSearch } from '../src/pages/live/search'
import { frameOf, seriesOf } from './frames'

const engine = { side: 'engine' as const }

describe('columns', () => {
  test('no window has more than 300', () => {
    for (const { ms, stepMs } of Object.values(windows)) expect(ms / stepMs).toBeLessThanOrEqual(MAX_COLUMNS)
  })

  test('a missing frame is a gap, an idle one is not', () => {
    const buffer = new FrameBuffer(1000, 60_000)
    buffer.add(frameOf(1000, [seriesOf([500])]))
    buffer.add(frameOf(2000, []))
    buffer.add(frameOf(4000, [seriesOf([500, 600])]))
    const counts = buffer.columns(0, 4000, engine).map((column) => column.totals?.n)
    expect(counts).toEqual([1, 0, undefined, 2])
  })

  test('wider columns add the frames that fall into them', () => {
    const buffer = new FrameBuffer(5000, 60_000)
    for (let second = 1; second <= 10; second++) buffer.add(frameOf(second * 1000, [seriesOf([second * 1000])]))
    const [first, second] = buffer.columns(0, 10_000, engine)
    expect([first?.totals?.n, first?.durationMs, second?.totals?.n]).toEqual([5, 5000, 5])
  })

  test('a frame that history gave already is not counted twice', () => {
    const buffer = new FrameBuffer(1000, 60_000)
    expect(buffer.add(frameOf(1000, [seriesOf([500])]))).toBe(true)
    expect(buffer.add(frameOf(1000, [seriesOf([500])]))).toBe(false)
  })

  test('sides, namespaces and groups of operations are kept apart', () => {
    const buffer = new FrameBuffer(1000, 60_000)
    const series = [
      seriesOf([1], { op: 'get' }),
      seriesOf([1, 2], { op: 'put' }),
      seriesOf([1, 2, 3], { op: 'get', side: 'gateway' }),
      seriesOf([1, 2, 3, 4], { op: 'get', namespace: 'other' }),
    ]
    buffer.add(frameOf(1000, series))
    const n = (filter: Parameters<FrameBuffer['columns']>[2]) => buffer.columns(0, 1000, filter)[0]?.totals?.n
    expect(n(engine)).toBe(7)
    expect(n({ side: 'gateway' })).toBe(3)
    expect(n({ ...engine, op: 'reads', namespace: 'events' })).toBe(1)
    expect(n({ ...engine, op: 'writes' })).toBe(2)
  })

  test('what is older than the span is let go', () => {
    const buffer = new FrameBuffer(1000, 10_000)
    for (let second = 1; second <= 100; second++) buffer.add(frameOf(second * 1000, [seriesOf([500])]))
    const kept = buffer.columns(0, 100_000, engine).filter(({ totals }) => totals !== undefined)
    expect(kept.length).toBe(11)
    expect(kept.at(-1)?.totals?.n).toBe(1)
  })
})

describe('summary', () => {
  const buffer = new FrameBuffer(1000, 60_000)
  for (let second = 1; second <= 20; second++) {
    buffer.add(frameOf(second * 1000, [seriesOf(Array.from({ length: second <= 10 ? 100 : 200 }, () => 2000))]))
  }

  test('compares with the equal span before', () => {
    const lines = summarise(buffer.sum(10_000, 20_000, engine), buffer.sum(0, 10_000, engine))
    expect(lines.find(({ name }) => name === 'n')).toMatchObject({ value: 2000, change: 1 })
    expect(lines.find(({ name }) => name === 'rate')).toMatchObject({ value: 200, change: 1 })
    expect(lines.find(({ name }) => name === 'p99.9')?.thin).toBe(true)
    expect(lines.find(({ name }) => name === 'p99')?.thin).toBe(false)
  })

  test('compares with nothing where the span before was not recorded', () => {
    const lines = summarise(buffer.sum(0, 10_000, engine), buffer.sum(-10_000, 0, engine))
    expect(lines.every(({ change }) => change === undefined)).toBe(true)
  })
})

describe('cells', () => {
  const totals = emptyTotals()
  addSeries(totals, { ...seriesOf([100, 5000, 5000, 2e9]), overflow: 1, count: 5 })

  test('the axis grows to what was seen, by decades', () => {
    expect(axisFor([])).toEqual({ minNs: 1e3, maxNs: 1e9 })
    expect(axisFor([totals])).toEqual({ minNs: 100, maxNs: 1e10 })
  })

  test('every operation is in one row or beyond an end', () => {
    for (const axis of [
      { minNs: 1e3, maxNs: 1e9 },
      { minNs: 100, maxNs: 1e10 },
    ]) {
      const { counts, below, above } = columnRows(totals, rowsFor(axis))
      expect(counts.reduce((sum, count) => sum + count, 0) + below + above).toBe(totals.n)
    }
  })

  test('shades are logarithmic and bounded', () => {
    expect([shade(0, 1, 100), shade(1, 1, 100), shade(10, 1, 100), shade(1e9, 1, 100)]).toEqual([0, 0, 0.5, 1])
  })
})

test('columns are aligned to their step', () => {
  expect([columnStart(14_999, 5000), columnStart(15_000, 5000)]).toEqual([10_000, 15_000])
})

test('the address of the Live page cannot ask for what is not there', () => {
  const search = readLiveSearch({ op: 'fly', side: 'x' } as never)
  expect(search).toMatchObject({ op: undefined, side: 'engine', scale: 'share', within: '90' })
})
