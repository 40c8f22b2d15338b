import { expect, test } from 'vitest'
import { FrameBuffer } from '../src/live/buffer'
import type { Feed } from '../src/live/feed'
import { bucketOf } from '../src/live/latency/buckets'
import { LiveView } from '../src/live/view'
import { heatSpec } from '../src/pages/live/heat-spec'
import { frameOf, seriesOf } from './frames'

// A stall of 30 ms in one second: what was in flight waits for its end, and everything else is as fast as before.

const START = Date.parse('2026-11-26T12:00:00Z')
const SECONDS = 60
const STALLED = 40
const fast = Array.from({ length: 2000 }, (_, n) => 2000 + n)
const waited = [30_400_000, 30_900_000, 31_700_000, 33_000_000]

function viewOf(): LiveView {
  const [windowMs, stepMs] = [SECONDS * 1000, 1000]
  const buffer = new FrameBuffer(stepMs, windowMs)
  for (let second = 0; second < SECONDS; second += 1)
    buffer.add(frameOf(START + (second + 1) * 1000, [seriesOf(second === STALLED ? [...fast, ...waited] : fast)]))
  const feed: Partial<Feed> = { buffer, windowMs, stepMs, endMs: START + windowMs, version: 1, loaded: true }
  return new LiveView(feed as Feed, { side: 'engine' })
}

/** The runs of rows that are drawn in a column, as lowest and highest latency. */
function islands(column: number, absolute: boolean): [number, number][] {
  const { edges = [], levels = new Uint8Array() } = heatSpec(viewOf(), absolute).heat ?? {}
  const height = edges.length + 1
  // The first and the last row are below and above the axis.
  const rows = levels.subarray(column * height + 1, (column + 1) * height - 1)
  const drawn: [number, number][] = []
  rows.forEach((level, row) => {
    if (level === 0) return
    const [low, high] = [edges[row] ?? NaN, edges[row + 1] ?? NaN]
    const last = drawn.at(-1)
    if (last?.[1] === low) last[1] = high
    else drawn.push([low, high])
  })
  return drawn
}

test.each([
  ['share', false],
  ['count', true],
])('a stall is an island of its own in its column, and in no other: %s', (_, absolute) => {
  const [rest, stall, ...more] = islands(STALLED, absolute)
  expect(more).toEqual([])
  expect([rest?.[0], rest?.[1]].every((ns = NaN) => ns < 5000)).toBe(true)
  // A row is four buckets high, so it may begin a little below what it holds.
  expect(stall?.[0]).toBeGreaterThan(30_000_000 / 1.25)
  expect(stall?.[1]).toBeLessThan(33_000_000 * 1.25)
  for (const column of [STALLED - 1, STALLED + 1]) expect(islands(column, absolute)).toEqual([rest])
})

test('p50 stays in its bucket, and the slowest dot tells the stall', () => {
  const { series } = heatSpec(viewOf(), false)
  const valueOf = (id: string, column: number): number => series.find((one) => one.id === id)?.values[column] ?? NaN
  expect(bucketOf(valueOf('p50', STALLED))).toBe(bucketOf(valueOf('p50', STALLED - 1)))
  expect(valueOf('max', STALLED)).toBe(33_000_000)
  expect(valueOf('max', STALLED + 1)).toBeLessThan(5000)
})
