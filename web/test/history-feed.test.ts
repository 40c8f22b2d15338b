import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Frame } from '../src/live/frame'
import { HistoryFeed } from '../src/live/history-feed'
import { columnStart, windows } from '../src/live/window'
import { frameOf, seriesOf } from './frames'

interface Range {
  fromMs: number
  toMs: number
  stepSeconds: number
}

const instance = vi.hoisted(() => ({
  latest: undefined as Frame | undefined,
  listeners: new Set<(frame: Frame) => void>(),
  minutes: [] as Frame[],
  failure: undefined as Error | undefined,
  asked: [] as Range[],
}))

vi.mock('../src/live/connection', () => ({
  connection: {
    get latest() {
      return instance.latest
    },
    onFrame(listener: (frame: Frame) => void) {
      instance.listeners.add(listener)
      return () => instance.listeners.delete(listener)
    },
  },
}))

vi.mock('../src/api/history', () => ({
  fetchHistory: (range: Range) => {
    instance.asked.push(range)
    if (instance.failure !== undefined) return Promise.reject(instance.failure)
    return Promise.resolve(stepsOf(range))
  },
}))

const MINUTE = 60_000
const DAY = 86_400_000
/** In the middle of a column of each window. */
const NOW = 20_000 * DAY + 13 * 3_600_000 + 7 * MINUTE
const { ms: WINDOW, stepMs: STEP } = windows['24h']
const engine = { side: 'engine' as const }

/** What the engine answers: the minutes that ended in the range, added up by step. */
function stepsOf({ fromMs, toMs, stepSeconds }: Range): Frame[] {
  const steps = new Map<number, Frame>()
  for (const minute of instance.minutes) {
    if (minute.timeMs <= fromMs || minute.timeMs > toMs) continue
    const start = columnStart(minute.timeMs - 500, stepSeconds * 1000)
    const held = steps.get(start)
    const durationMs = (held?.durationMs ?? 0) + minute.durationMs
    steps.set(start, { ...minute, durationMs, latency: [...(held?.latency ?? []), ...minute.latency] })
  }
  return [...steps.values()]
}

/** One operation in the minute that ends here. */
const minuteAt = (timeMs: number): Frame => frameOf(timeMs, [seriesOf([500])], { durationMs: MINUTE })

/** The next minutes pass, with a frame at the end of each. */
async function pass(minutes: number): Promise<void> {
  for (let n = 0; n < minutes; n += 1) {
    const frame = minuteAt((instance.latest?.timeMs ?? NOW) + MINUTE)
    instance.minutes.push(frame)
    instance.latest = frame
    for (const listener of instance.listeners) listener(frame)
    await settled()
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function openFeed(windowMs: number = WINDOW, stepMs: number = STEP): Promise<HistoryFeed> {
  const feed = new HistoryFeed(windowMs, stepMs)
  feed.open()
  await settled()
  return feed
}

function sum({ buffer }: HistoryFeed, fromMs: number, toMs: number): number {
  return buffer.columns(fromMs, toMs, engine).reduce((total, { totals }) => total + (totals?.n ?? 0), 0)
}

beforeEach(() => {
  Object.assign(instance, { minutes: [], failure: undefined, asked: [] })
  instance.listeners.clear()
  for (let at = NOW - 2 * DAY - MINUTE; at <= NOW; at += MINUTE) instance.minutes.push(minuteAt(at))
  instance.latest = instance.minutes.at(-1)
})

describe('a window of 24 hours', () => {
  test('is read in whole columns, then the day before it, and no minute is missed or counted twice', async () => {
    const feed = await openFeed()
    const { endMs, loaded } = feed
    expect([loaded, endMs]).toEqual([true, columnStart(NOW, STEP) + STEP])
    expect(instance.asked.map(({ stepSeconds }) => stepSeconds)).toEqual([300, 300])
    // The newest column has 2 of its 5 minutes.
    expect([sum(feed, endMs - WINDOW, endMs), sum(feed, endMs - 2 * WINDOW, endMs - WINDOW)]).toEqual([1437, 1440])
  })

  test('reads its newest column again each minute, not each second', async () => {
    const feed = await openFeed()
    instance.asked = []
    for (let second = 1; second < 60; second += 1)
      for (const listener of instance.listeners) listener(frameOf(NOW + second * 1000, []))
    expect(instance.asked).toEqual([])
    await pass(5)
    expect(instance.asked.map(({ fromMs }) => columnStart(fromMs + 1, STEP))).toEqual(
      [0, 0, 0, 0, STEP].map((later) => columnStart(NOW, STEP) + later),
    )
    expect(sum(feed, feed.endMs - WINDOW, feed.endMs)).toBe(1437)
  })

  test('a pause reads nothing and moves nothing, and after it nothing is missing', async () => {
    const feed = await openFeed()
    const { endMs } = feed
    feed.pause(true)
    instance.asked = []
    await pass(90)
    expect([instance.asked, feed.endMs]).toEqual([[], endMs])
    feed.pause(false)
    await settled()
    expect([feed.endMs, sum(feed, feed.endMs - WINDOW, feed.endMs)]).toEqual([endMs + 90 * MINUTE, 1437])
  })

  test('a history that cannot be had is asked again, and the error goes', async () => {
    instance.failure = new Error('the gateway is starting')
    const feed = await openFeed()
    expect([feed.error, feed.loaded]).toEqual([instance.failure, true])
    instance.failure = undefined
    await pass(1)
    await settled()
    expect([feed.error, sum(feed, feed.endMs - 2 * WINDOW, feed.endMs)]).toEqual([undefined, 2878])
  })

  test('a time without frames is a gap', async () => {
    const hole = columnStart(NOW, STEP) - 10 * STEP
    instance.minutes = instance.minutes.filter(({ timeMs }) => timeMs <= hole || timeMs > hole + STEP)
    const { buffer } = await openFeed()
    const near = buffer.columns(hole - STEP, hole + 2 * STEP, engine)
    expect(near.map(({ totals }) => totals?.n)).toEqual([5, undefined, 5])
  })
})

test('30 days are one request: there is nothing before them', async () => {
  await openFeed(windows['30d'].ms, windows['30d'].stepMs)
  expect(
    instance.asked.map(({ fromMs, toMs, stepSeconds }) => [Math.ceil((toMs - fromMs) / DAY), stepSeconds]),
  ).toEqual([[30, 10_800]])
})
