import { beforeEach, describe, expect, test, vi } from 'vitest'
import { LiveFeed } from '../src/live/feed'
import type { Frame } from '../src/live/frame'
import { frameOf, seriesOf } from './frames'

const instance = vi.hoisted(() => ({
  latest: undefined as Frame | undefined,
  listeners: new Set<(frame: Frame) => void>(),
  history: [] as Frame[],
  failure: undefined as Error | undefined,
  asked: [] as { fromMs: number; toMs: number }[],
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
  fetchHistory: (range: { fromMs: number; toMs: number }) => {
    instance.asked.push(range)
    return instance.failure === undefined
      ? Promise.resolve(instance.history.filter(({ timeMs }) => timeMs > range.fromMs && timeMs <= range.toMs))
      : Promise.reject(instance.failure)
  },
}))

const WINDOW = 60_000
const START = 1_000_000_000
const engine = { side: 'engine' as const }

/** The frame that ends `second` seconds after the start: one operation in each. */
function frameAt(second: number): Frame {
  return frameOf(START + second * 1000, [seriesOf([500])], { seq: second })
}

/** The engine records a second, and tells who listens unless the stream is broken. */
function tick(second: number, told = true): void {
  const frame = frameAt(second)
  instance.history.push(frame)
  if (!told) return
  instance.latest = frame
  for (const listener of instance.listeners) listener(frame)
}

function ticks(first: number, last: number, told = true): void {
  for (let second = first; second <= last; second++) tick(second, told)
}

/** Lets promises settle. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function openFeed(): Promise<LiveFeed> {
  const feed = new LiveFeed(WINDOW, 1000)
  feed.open()
  await settled()
  return feed
}

/** Operations in the window that is shown, and in the equal span before it. */
function shown({ buffer, endMs: shownMs }: LiveFeed, endMs = shownMs): [now: number, before: number] {
  const sum = (fromMs: number, toMs: number): number =>
    buffer.columns(fromMs, toMs, engine).reduce((total, { totals }) => total + (totals?.n ?? 0), 0)
  return [sum(endMs - WINDOW, endMs), sum(endMs - 2 * WINDOW, endMs - WINDOW)]
}

beforeEach(() => {
  Object.assign(instance, { latest: undefined, history: [], failure: undefined, asked: [] })
  instance.listeners.clear()
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => {
    draw()
    return undefined
  })
  vi.stubGlobal('cancelAnimationFrame', () => undefined)
  ticks(1, 200, false)
  instance.latest = frameAt(200)
})

describe('a pause', () => {
  test('keeps what it shows and the equal span before, however long it lasts', async () => {
    const feed = await openFeed()
    feed.pause(true)
    const { endMs } = feed
    ticks(201, 1000)
    expect(feed.endMs).toBe(endMs)
    expect(shown(feed)).toEqual([60, 60])
    feed.pause(false)
    expect(feed.endMs).toBe(START + 1_000_000)
    expect(shown(feed)).toEqual([60, 60])
  })

  test('holds at most twice the span', async () => {
    const feed = await openFeed()
    feed.pause(true)
    ticks(201, 3000)
    const held = feed.buffer.columns(START, START + 3_000_000, engine).filter(({ totals }) => totals !== undefined)
    expect(held.length).toBeLessThanOrEqual((2 * (2 * WINDOW + 1000)) / 1000 + 1)
    feed.pause(false)
    tick(3001)
    expect(shown(feed, START + 200_000)).toEqual([0, 0])
  })

  test('shows nothing else when missed frames are filled in', async () => {
    const feed = await openFeed()
    feed.pause(true)
    const { endMs, version } = feed
    tick(201)
    ticks(202, 210, false)
    tick(211)
    await settled()
    expect(feed).toMatchObject({ endMs, version })
    feed.pause(false)
    expect(shown(feed)).toEqual([60, 60])
  })

  test('before the history is there holds the history that comes', async () => {
    const feed = new LiveFeed(WINDOW, 1000)
    feed.open()
    feed.pause(true)
    await settled()
    ticks(201, 600)
    expect(feed.endMs).toBe(START + 200_000)
    expect(shown(feed)).toEqual([60, 60])
  })
})

describe('a history that cannot be had', () => {
  beforeEach(() => {
    instance.failure = new Error('the gateway is starting')
  })

  test('is asked again when frames come, and the error goes', async () => {
    const feed = await openFeed()
    expect(feed.error).toBe(instance.failure)
    ticks(201, 203)
    expect(shown(feed)).toEqual([3, 0])
    instance.failure = undefined
    ticks(204, 210)
    await settled()
    expect(feed.error).toBeUndefined()
    expect(shown(feed)).toEqual([60, 60])
  })

  test('is not asked with every frame', async () => {
    await openFeed()
    for (let second = 201; second <= 220; second++) {
      tick(second)
      await settled()
    }
    expect(instance.asked.length).toBe(5)
  })

  test('comes to a page that was paused without it, and is kept', async () => {
    const feed = await openFeed()
    feed.pause(true)
    const { endMs } = feed
    instance.failure = undefined
    ticks(201, 205)
    await settled()
    ticks(206, 600)
    expect(feed).toMatchObject({ endMs, error: undefined })
    expect(shown(feed)).toEqual([60, 60])
  })

  test('leaves a gap that is closed later, no frame counted twice', async () => {
    instance.failure = undefined
    const feed = new LiveFeed(WINDOW, 5000)
    feed.open()
    await settled()
    instance.failure = new Error('cut off')
    ticks(201, 222)
    ticks(223, 230, false)
    ticks(231, 233)
    await settled()
    expect(feed.error).toBe(instance.failure)
    instance.failure = undefined
    ticks(234, 240)
    await settled()
    expect(feed.error).toBeUndefined()
    expect(shown(feed)).toEqual([60, 60])
  })
})
