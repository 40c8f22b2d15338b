// Latency targets: exact shares, budgets and burn rates, from live frames and from the past.
import { describe, expect, test } from 'vitest'
import type { TargetReport, TargetWindow } from '../../src/schemas/alerts/alerts.js'
import type { AlertRuleSpec } from '../../src/schemas/alerts/rules.js'
import type { LatencySeries } from '../../src/schemas/server/metrics.js'
import { Bench, frameAt, series, START } from './source.js'

/** 99% of gets within 1 ms. */
const reads: AlertRuleSpec = {
  name: 'Reads',
  severity: 'critical',
  target: { op: 'get', percent: 99, withinUs: 1000 },
}
const good = (count: number) => series('shop', count, 1e5)
const slow = (count: number) => series('shop', count, 5e6)

async function bench(prepare: (it: Bench) => void = () => undefined): Promise<Bench> {
  const it = await new Bench().start()
  prepare(it)
  await it.alerts.rules.add(reads, 'token')
  // The first second makes the alert; then the past is read.
  it.run(1, [good(100)])
  await it.alerts.settled()
  return it
}
function report(it: Bench): TargetReport {
  const target = it.alerts.list()[0]?.target
  if (target === undefined) throw new Error('there is no target')
  return target
}
function windowOf(it: Bench, name: string): TargetWindow {
  const found = report(it).windows.find(({ window }) => window === name)
  if (found === undefined) throw new Error(`there is no window ${name}`)
  return found
}

test('shares and budgets are exact', async () => {
  const it = await bench()
  it.run(99, [good(98), slow(2)])
  // 9,900 operations of which 198 were slow, and 100 before.
  expect(windowOf(it, 'hour')).toMatchObject({ operations: 10_000, within: 9802, enough: true })
  expect(windowOf(it, 'hour').sharePercent).toBeCloseTo(98.02, 10)
  expect(windowOf(it, 'hour').budgetLeftPercent).toBeCloseTo(-98, 6)
  expect(windowOf(it, 'month')).toEqual({ ...windowOf(it, 'hour'), window: 'month' })
})

test('failed operations miss the target, and other operations do not count', async () => {
  const it = await bench()
  it.run(1, [series('shop', 10, 1e5, { outcome: 'error' }), series('shop', 7, 5e6, { op: 'put' })])
  expect(windowOf(it, 'hour')).toMatchObject({ operations: 110, within: 100 })
})

test('a missed target is never healthy, also while nothing fires', async () => {
  const it = await bench()
  it.run(60, [good(98), slow(2)])
  expect(it.states()).toEqual(['ok'])
  expect(report(it).missed).toBe(true)
  expect(it.alerts.health()).toEqual({
    tone: 'bad',
    text: expect.stringMatching(
      /^Reads: 98\.\d\d% of gets of shop within 1 ms in the last minute, target 99%$/,
    ) as string,
    reasons: [expect.any(String) as string],
    said: [expect.objectContaining({ message: '{rule}: {standing}' })],
  })
  expect(it.alerts.health().text).not.toContain('Healthy')
})

test('few operations do not tell', async () => {
  const it = await bench()
  it.run(8, [good(100), slow(10)])
  expect(windowOf(it, 'minute')).toMatchObject({ operations: 980, enough: false })
  expect([report(it).missed, it.states(), it.alerts.health().text]).toEqual([false, ['ok'], 'Healthy'])
  it.run(1, [good(100), slow(10)])
  expect([report(it).missed, it.alerts.health().tone]).toEqual([true, 'bad'])
})

test('fires on a fast burn, is held while it goes on, and is resolved after it', async () => {
  const it = await bench()
  it.run(290, [good(80), slow(20)])
  // The short window has all there is.
  expect([it.states(), report(it).missed]).toEqual([['ok'], true])
  it.run(30, [good(80), slow(20)])
  expect(it.states()).toEqual(['firing'])
  expect(it.kinds()).toEqual(['firing'])
  expect(report(it).burnRates[0]).toMatchObject({ longMinutes: 60, shortMinutes: 5, limit: 14.4 })
  expect(report(it).burnRates[0]?.short).toBeGreaterThan(14.4)
  // The short windows forget it within 5 min, 30 min and 6 h; the budget of the hour and the day does not.
  it.run(7 * 3600, [good(100)])
  expect([it.states(), it.kinds()]).toEqual([['ok'], ['firing', 'resolved']])
  expect(windowOf(it, 'day').budgetLeftPercent).toBeLessThan(100)
})

test('without operations the budget stays, and nothing is resolved', async () => {
  const it = await bench()
  it.run(320, [good(80), slow(20)])
  const before = windowOf(it, 'day')
  it.run(600, [])
  expect(it.states()).toEqual(['firing'])
  expect(windowOf(it, 'day')).toEqual(before)
  expect(windowOf(it, 'minute')).not.toHaveProperty('sharePercent')
})

test('a target with too few operations to judge has data', async () => {
  const it = await new Bench().start()
  await it.alerts.rules.add(reads, 'token')
  it.run(1, [])
  await it.alerts.settled()
  it.run(1, [])
  expect(it.alerts.list()).toMatchObject([{ state: 'ok', noDataSince: expect.any(String) as string }])
  it.run(3, [series('shop', 2, 100_000)])
  expect(it.alerts.list()).toMatchObject([{ state: 'ok', value: 100 }])
  expect(it.alerts.list()[0]).not.toHaveProperty('noDataSince')
})

describe('the past', () => {
  const HOUR_MS = 3_600_000

  test('fills the budget after a restart, and no frame counts twice', async () => {
    const it = await bench(({ source }) => {
      source.history = [
        frameAt(START - 20 * 24 * HOUR_MS, [good(9000), slow(1000)]),
        frameAt(START - 10 * HOUR_MS, [good(5000)]),
        // Both are newer than what the first live frame covers.
        frameAt(START + 1000, [slow(7777)]),
        frameAt(START + 2000, [slow(7777)]),
      ]
    })
    expect(report(it).windows.map(({ operations }) => operations)).toEqual([100, 100, 5100, 15_100])
    expect(it.source.asked.map(({ stepSeconds, namespace, op }) => [stepSeconds, namespace, op])).toEqual([
      [10, 'shop', 'get'],
      [300, 'shop', 'get'],
      [7200, 'shop', 'get'],
    ])
  })

  test('is read anew after a clock that jumped and came back', async () => {
    const it = await bench()
    const { clock, source } = it
    // The history keeps each second, whatever the clock says.
    source.history.push(frameAt(clock.now(), [good(100)]))
    const live = (seconds: number, latency: LatencySeries[]) => {
      for (let second = 0; second < seconds; second += 1) {
        it.run(1, latency)
        source.history.push(frameAt(clock.now(), latency))
      }
    }
    const jump = async (ms: number, latency: LatencySeries[]) => {
      clock.jump(ms)
      live(1, latency)
      await it.alerts.settled()
    }
    const operations = () => report(it).windows.map((window) => window.operations)
    await jump(HOUR_MS, [good(95), slow(5)])
    live(58, [good(95), slow(5)])
    expect(operations()).toEqual([5900, 5900, 6000, 6000])
    for (const ms of [40 * 24 * HOUR_MS, 2 * HOUR_MS, -2 * HOUR_MS]) {
      const now = clock.now()
      await jump(ms, [slow(100)])
      live(19, [slow(100)])
      await jump(now - clock.now(), [good(100)])
    }
    // Three seconds of this time are new; those two hours ago are in the day.
    expect(operations()).toEqual([5300, 6200, 8300, 8300])
    expect(windowOf(it, 'hour').within).toBe(59 * 95 + 300)
    // It goes on from there, and no second counts twice.
    live(60, [good(100)])
    expect(operations()).toEqual([5300, 12_200, 14_300, 14_300])
  })

  test('is not read anew after a pause of the process, which one frame covers', async () => {
    const it = await bench()
    const asked = it.source.asked.length
    it.clock.pass(2 * HOUR_MS)
    it.run(1, [good(50)], { durationMs: 2 * HOUR_MS + 1000 })
    await it.alerts.settled()
    expect(it.source.asked.length).toBe(asked)
    expect(report(it).windows.map(({ operations }) => operations)).toEqual([50, 50, 150, 150])
  })

  test('of seconds that were missed is read once for all targets, and no second counts twice', async () => {
    const it = await bench()
    await it.alerts.rules.add({ ...reads, name: 'Others', target: { op: 'put', percent: 99, withinUs: 1000 } }, 'token')
    it.run(1, [good(100)])
    await it.alerts.settled()
    const asked = it.source.asked.length
    const seen = it.clock.now()
    const puts = series('shop', 7, 1e5, { op: 'put' })
    it.source.history = Array.from({ length: 32 }, (_, n) => frameAt(seen + (n - 1) * 1000, [slow(1), puts]))
    it.clock.pass(20_000)
    it.run(1, [good(100)])
    await it.alerts.settled()
    expect(it.source.asked.slice(asked)).toEqual([{ fromMs: seen, toMs: seen + 20_500, stepSeconds: 1 }])
    expect(it.alerts.list().map(({ target }) => target?.windows[1]?.operations)).toEqual([320, 140])
    expect(windowOf(it, 'hour').within).toBe(300)
  })

  test('of so many seconds that were missed is read anew', async () => {
    const it = await bench()
    const asked = it.source.asked.length
    it.run(90, undefined)
    it.run(1, [good(100)])
    await it.alerts.settled()
    expect(it.source.asked.slice(asked).map(({ stepSeconds }) => stepSeconds)).toEqual([10, 300, 7200])
  })

  test('of many targets is read once for all of them', async () => {
    const it = await new Bench().start()
    it.source.namespaces = Array.from({ length: 40 }, (_, n) => `n${n}`)
    it.source.history = [frameAt(START - HOUR_MS / 2, [series('n7', 100, 100_000), series('n8', 50, 100_000)])]
    await it.alerts.rules.add(reads, 'token')
    it.run(1, [])
    await it.alerts.settled()
    expect(it.source.asked.map(({ stepSeconds, namespace }) => [stepSeconds, namespace])).toEqual([
      [10, undefined],
      [300, undefined],
      [7200, undefined],
    ])
    const hours = it.alerts.list().map(({ namespace, target }) => [namespace, target?.windows[1]?.operations])
    expect(hours).toEqual(it.source.namespaces.map((name) => [name, name === 'n7' ? 100 : name === 'n8' ? 50 : 0]))
  })

  test('of an alert that fires is read anew without a second notice', async () => {
    const it = await bench()
    it.run(320, [good(80), slow(20)])
    it.source.history = Array.from({ length: 320 }, (_, n) => frameAt(START + (n + 2) * 1000, [good(80), slow(20)]))
    it.clock.jump(2 * HOUR_MS)
    it.run(1, [good(1)])
    it.clock.jump(-2 * HOUR_MS)
    it.run(1, [good(80), slow(20)])
    await it.alerts.settled()
    it.run(60, [good(80), slow(20)])
    expect([it.states(), it.kinds()]).toEqual([['firing'], ['firing']])
  })

  test('is waited for before anything is judged', async () => {
    const it = await new Bench().start()
    await it.alerts.rules.add(reads, 'token')
    it.run(400, [slow(100)])
    expect(it.states()).toEqual(['ok'])
    await it.alerts.settled()
    it.run(1, [slow(100)])
    expect(it.states()).toEqual(['firing'])
  })

  test('of a namespace begins with its creation, to the second', async () => {
    const createdMs = START - 2 * HOUR_MS - 123_456
    const it = await bench(({ source }) => {
      source.createdAt.set('shop', createdMs)
      source.namespaces = ['shop', 'other']
      const old = [20 * 24 * HOUR_MS, 10 * HOUR_MS, 3 * HOUR_MS].map((before) => frameAt(START - before, [slow(1000)]))
      // Ten minutes around the creation, one frame a second: the old one is slow, the new one fast.
      const around = Array.from({ length: 600 }, (_, n) => {
        const atMs = createdMs - 300_500 + n * 1000
        return frameAt(atMs, [atMs <= createdMs ? slow(10) : good(1), series('other', 1, 1e5)])
      })
      source.history = [...old, ...around, frameAt(START - 1800_000, [good(1000)])]
    })
    // One of the 299 frames after the creation began before it.
    expect(it.alerts.list()[0]?.target?.windows.map(({ operations, within }) => [operations, within])).toEqual([
      [100, 100],
      [1100, 1100],
      [1398, 1398],
      [1398, 1398],
    ])
    expect(it.alerts.list()[1]?.target?.windows.map(({ operations }) => operations)).toEqual([0, 0, 600, 600])
  })

  test('of a namespace that was dropped and made again is not that of the old one', async () => {
    const it = await bench()
    it.run(60, [good(80), slow(20)])
    expect(report(it).missed).toBe(true)
    it.source.history = Array.from({ length: 61 }, (_, n) => frameAt(START + (n + 1) * 1000, [slow(100)]))
    it.alerts.dropNamespace('shop')
    it.source.createdAt.set('shop', it.clock.now() + 100)
    it.run(4, [good(100)])
    await it.alerts.settled()
    expect(windowOf(it, 'month')).toMatchObject({ operations: 200, within: 200 })
    expect([report(it).missed, it.alerts.health().text]).toEqual([false, 'Healthy'])
    // So it stays if the past is read anew.
    it.clock.jump(HOUR_MS)
    it.run(1, [])
    it.clock.jump(-HOUR_MS)
    it.run(1, [])
    await it.alerts.settled()
    expect(windowOf(it, 'month')).toMatchObject({ operations: 0 })
  })

  test('that cannot be read stops no evaluation', async () => {
    const it = await bench(({ source }) => {
      Object.assign(source, { past: () => Promise.reject(new Error('damaged')) })
    })
    it.run(320, [good(80), slow(20)])
    expect([it.states(), it.warnings]).toEqual([['firing'], ['the past of a latency target could not be read']])
  })
})
