import { expect, test } from 'vitest'
import { pack, unpack } from '../src/charts/render/packed'
import type { Drawing } from '../src/charts/render/protocol'
import type { ChartSpec } from '../src/charts/spec/spec'
import { FrameBuffer } from '../src/live/buffer'
import type { Feed } from '../src/live/feed'
import type { Frame } from '../src/live/frame'
import { totalsOf } from '../src/live/latency/summary'
import { LiveView } from '../src/live/view'
import { columnStart } from '../src/live/window'
import { heatSpec } from '../src/pages/live/heat-spec'
import { dice } from './dice'
import { frameOf, seriesOf } from './frames'

// A frame moves what a view shows and adds a column. That has to be the same as all of it made anew.

const START = Date.parse('2026-11-26T12:00:00Z')
const engine = { side: 'engine' } as const
const perSecond = ({ totals }: { totals: { n: number } | undefined }): number | null => totals?.n ?? null

/** Seconds with frames of random length and operations, and gaps. */
function framesOf(seed: number, seconds: number): Frame[] {
  const random = dice(seed)
  const frames: Frame[] = []
  for (let endMs = START; endMs < START + seconds * 1000;) {
    const durationMs = random() < 0.1 ? 3700 : 900 + Math.round(random() * 200)
    endMs += durationMs + (random() < 0.05 ? 40_000 : 0)
    const slow = random() < 0.1 ? [2e9] : []
    const durations = Array.from({ length: Math.floor(random() * 20) }, () => 500 + random() * 1e6)
    const marks = random() < 0.2 ? [{ timeMs: endMs - 1, kind: 'job', text: `at ${endMs}` }] : []
    frames.push(frameOf(endMs, [seriesOf([...durations, ...slow])], { durationMs, marks }))
  }
  return frames
}

function feedOf(stepMs: number) {
  const windowMs = 60 * stepMs
  const buffer = new FrameBuffer(stepMs, windowMs * 2 + stepMs)
  const feed = { buffer, windowMs, stepMs, endMs: 0, version: 0, loaded: true }
  const show = (): void => {
    feed.endMs = columnStart(buffer.newestMs - 500, stepMs) + stepMs
    feed.version++
  }
  return { buffer, feed: feed as unknown as Feed, show }
}

const sent = (spec: ChartSpec): ChartSpec => unpack(structuredClone(pack({ spec } as Drawing))).spec

/** All that a view and its heatmap show. It is a text, because comparing millions of numbers takes long. */
function textOf({ columns, whole }: LiveView, { heat, ...spec }: ChartSpec): string {
  const shown = columns.map(({ start, durationMs, totals }) => [start, durationMs, totals?.n, totals?.maxNs])
  const { n, first, last, maxNs } = whole.totals
  return JSON.stringify({ shown, n, first, last, maxNs, spec, heat: { ...heat, levels: heat?.levels.join() } })
}

test.each([
  [1, 1000],
  [2, 1000],
  [3, 5000],
  [4, 5000],
])('a view that moves shows what a new one shows, seed %i in columns of %i ms', (seed, stepMs) => {
  const { buffer, feed, show } = feedOf(stepMs)
  const frames = framesOf(seed, 400)
  const moving = new LiveView(feed, engine)
  frames.forEach((frame, index) => {
    buffer.add(frame)
    // The stream missed something, and the history brings it.
    if (index % 150 === 149) buffer.replace(frames.slice(index - 30, index + 1))
    // A hidden page shows only some of the frames.
    if (index % 7 === 6) return
    show()
    const anew = new LiveView(feed, engine)
    expect(textOf(moving, sent(heatSpec(moving, false)))).toBe(textOf(anew, heatSpec(anew, false)))
    expect(moving.each(perSecond)).toEqual(anew.columns.map(perSecond))
  })
})

test('columns that were shown before their frames came, because of a clock that is ahead, are made anew', () => {
  const { buffer, feed, show } = feedOf(1000)
  const moving = new LiveView(feed, engine)
  buffer.add(frameOf(START + 1000, [seriesOf([500])]))
  show()
  Object.assign(feed, { endMs: START + 10_000 })
  expect(moving.each(perSecond).at(-9)).toBeNull()
  buffer.add(frameOf(START + 2000, [seriesOf([500, 600])]))
  Object.assign(feed, { version: 2 })
  expect(moving.each(perSecond).slice(-10, -8)).toEqual([1, 2])
})

test.each([1, 2, 3])('a sum of blocks is the sum of the columns, seed %i', (seed) => {
  const { buffer } = feedOf(1000)
  const random = dice(seed)
  const rounded = ({ totals, seconds }: ReturnType<typeof totalsOf>) => ({
    ...totals,
    sumNs: Math.round(totals.sumNs),
    sumSquaresNs: Math.round(totals.sumSquaresNs / 1e6),
    seconds: Math.round(seconds * 1000),
  })
  for (const frame of framesOf(seed, 300)) {
    buffer.add(frame)
    const from = buffer.newestMs - Math.floor(random() * 130_000)
    const to = from + Math.floor(random() * 130_000)
    expect(rounded(buffer.sum(from, to, engine))).toEqual(rounded(totalsOf(buffer.columns(from, to, engine))))
  }
})

test('the load of each namespace is that of its columns, and errors are none of it', () => {
  const { buffer } = feedOf(1000)
  buffer.add(
    frameOf(START + 1000, [
      seriesOf([500, 600], { namespace: 'shop' }),
      seriesOf([700], { namespace: 'shop', op: 'put' }),
      seriesOf([700], { namespace: 'shop', outcome: 'error' }),
      seriesOf([700], { namespace: 'shop', side: 'gateway' }),
    ]),
  )
  buffer.add(frameOf(START + 2000, [seriesOf([500], { namespace: 'users' })]))
  const loads = buffer.loads(START, START + 10_000, 'engine')
  expect([...loads]).toEqual([
    ['shop', 1.5],
    ['users', 0.5],
  ])
  for (const [namespace, load] of loads) {
    const { totals, seconds } = buffer.sum(START, START + 10_000, { namespace, side: 'engine' })
    expect(load).toBe(totals.n / seconds)
  }
})

test('a second without operations of a filter is one that is known, and adds nothing', () => {
  const { buffer } = feedOf(1000)
  for (let second = 1; second <= 40; second++) buffer.add(frameOf(START + second * 1000, []))
  buffer.add(frameOf(START + 41_000, [seriesOf([500])]))
  const sum = (toMs: number) => buffer.sum(START, START + toMs, engine)
  expect(sum(35_000)).toMatchObject({ seconds: 35, totals: { n: 0 } })
  expect(sum(42_000)).toMatchObject({ seconds: 41, totals: { n: 1 } })
  expect(sum(35_000)).toMatchObject({ seconds: 35, totals: { n: 0 } })
})

test('marks are in the order of time, those of an earlier history included', () => {
  const { buffer } = feedOf(5000)
  const marked = (second: number): Frame =>
    frameOf(START + second * 1000, [], {
      marks: [{ timeMs: START + second * 1000 - 1, kind: 'job', text: `${second}` }],
    })
  for (const second of [21, 22, 30]) buffer.add(marked(second))
  buffer.precede([marked(3), marked(9)])
  const words = (from: number, to: number) =>
    buffer.marks(START + from * 1000, START + to * 1000).map(({ text }) => text)
  expect(words(0, 40)).toEqual(['3', '9', '21', '22', '30'])
  expect(words(5, 22)).toEqual(['9', '21', '22'])
})
