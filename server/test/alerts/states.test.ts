// Rules fire after their time, hold within their hysteresis, and are resolved after theirs; a gap is no zero.
import { describe, expect, test } from 'vitest'
import { LatencyWindow } from '../../src/alerts/watch/latency.js'
import { amountText } from '../../src/sentences/amount.js'
import { metrics } from '../../src/alerts/watch/metrics.js'
import { newId } from '../../src/files/object-files.js'
import { prefixOf } from '../../src/lab/names.js'
import type { AlertRuleSpec, AlertThreshold } from '../../src/schemas/alerts/rules.js'
import type { MetricsFrame } from '../../src/schemas/server/metrics.js'
import { Bench, frameAt, series, wellFacts } from './source.js'

/** Above 20 bytes for 5 s; resolved at 10 or fewer for 3 s. */
const threshold: AlertThreshold = {
  metric: 'namespace.bytes',
  when: 'above',
  value: 20,
  forSeconds: 5,
  resolveValue: 10,
  resolveForSeconds: 3,
}
const large: AlertRuleSpec = { name: 'Large', severity: 'warning', threshold }
const holding = (bytes: number): Partial<MetricsFrame> => ({ sizes: [{ namespace: 'shop', records: 1, bytes }] })

async function bench(rule: AlertRuleSpec): Promise<Bench> {
  const it = await new Bench().start()
  await it.alerts.rules.add(rule, 'token')
  return it
}

describe('a threshold', () => {
  test('is pending, fires after its time, and names what fired', async () => {
    const it = await bench(large)
    it.run(1, [], holding(20))
    expect(it.states()).toEqual(['ok'])
    it.run(5, [], holding(21))
    expect(it.states()).toEqual(['pending'])
    it.run(1, [], holding(21))
    expect(it.states()).toEqual(['firing'])
    expect(it.alerts.events()).toMatchObject([
      {
        kind: 'firing',
        rule: 'Large',
        namespace: 'shop',
        value: 21,
        text: 'Large: the stored data of shop is 21 B, above 20 B',
      },
    ])
  })

  test('begins anew if the condition pauses', async () => {
    const it = await bench(large)
    it.run(4, [], holding(21))
    it.run(1, [], holding(20))
    expect(it.states()).toEqual(['ok'])
    it.run(5, [], holding(21))
    expect([it.states(), it.kinds()]).toEqual([['pending'], []])
  })

  test('is held between its two values, and resolved beyond the second one after its time', async () => {
    const it = await bench(large)
    it.run(6, [], holding(21))
    it.run(60, [], holding(11))
    expect(it.states()).toEqual(['firing'])
    it.run(2, [], holding(10))
    it.run(1, [], holding(11))
    it.run(3, [], holding(10))
    expect(it.states()).toEqual(['firing'])
    it.run(1, [], holding(10))
    expect([it.states(), it.kinds()]).toEqual([['resolved'], ['firing', 'resolved']])
    it.run(3600, [], holding(10))
    expect(it.states()).toEqual(['ok'])
  })

  test('ends in its time though the clock was ahead when it was resolved or lost its data', async () => {
    const it = await bench(large)
    const DAYS_MS = 40 * 86_400_000
    it.clock.jump(DAYS_MS)
    it.run(6, [], holding(21))
    it.run(4, [], holding(1))
    expect(it.states()).toEqual(['resolved'])
    it.clock.jump(-DAYS_MS)
    it.run(3600, [], holding(1))
    expect(it.states()).toEqual(['resolved'])
    it.run(1, [], holding(1))
    expect(it.states()).toEqual(['ok'])
    it.run(6, [], holding(21))
    it.clock.jump(DAYS_MS)
    it.run(1, [])
    it.clock.jump(-DAYS_MS)
    it.run(3601, [])
    expect([it.states(), it.kinds()]).toEqual([['resolved'], ['firing', 'resolved', 'firing', 'resolved']])
  })

  test('without data it neither fires nor is resolved, until an hour has passed', async () => {
    const it = await bench(large)
    it.run(4, [], holding(21))
    it.run(1, [])
    it.run(5, [], holding(21))
    expect(it.states()).toEqual(['pending'])
    it.run(1, [], holding(21))
    expect(it.states()).toEqual(['firing'])
    it.run(3600, [])
    expect(it.alerts.list()).toMatchObject([{ state: 'firing', noDataSince: '2026-11-26T12:00:12.000Z' }])
    expect(it.alerts.list()[0]).not.toHaveProperty('value')
    it.run(1, [])
    expect([it.states(), it.kinds()]).toEqual([['resolved'], ['firing', 'resolved']])
    expect(it.alerts.events()[0]?.text).toContain('resolved after an hour without data')
  })

  test('a time without frames does not count as held', async () => {
    const it = await bench(large)
    it.run(1, [], holding(21))
    it.run(600, undefined)
    it.run(5, [], holding(21))
    expect(it.states()).toEqual(['pending'])
  })

  test('a pause of the process counts as held if the frame after it covers it', async () => {
    const it = await bench({ ...large, threshold: { ...threshold, forSeconds: 25 } })
    it.run(8, [], holding(21))
    const since = it.alerts.list()[0]?.since
    it.clock.pass(12_000)
    it.alerts.evaluate(frameAt(it.clock.now(), [], { ...holding(21), durationMs: 12_000 }))
    it.run(5, [], holding(21))
    expect(it.alerts.list()).toMatchObject([{ state: 'pending', since }])
    it.run(1, [], holding(21))
    expect(it.states()).toEqual(['firing'])
  })

  test('after a time without frames it is pending since its new beginning', async () => {
    const it = await bench(large)
    it.run(1, [], holding(21))
    it.run(600, undefined)
    it.run(1, [], holding(21))
    const since = new Date(it.clock.now()).toISOString()
    it.run(4, [], holding(21))
    expect(it.alerts.list()).toMatchObject([{ state: 'pending', since }])
    it.run(1, [], holding(21))
    expect(it.states()).toEqual(['firing'])
  })

  test('facts that are old say nothing', async () => {
    const full = { metric: 'dataDisk.usedPercent', when: 'above', value: 50, forSeconds: 0 } as const
    const it = await bench({ name: 'Full', severity: 'critical', threshold: full })
    it.source.factsNow = { ...wellFacts, diskFreeBytes: 100 }
    it.run(1, [])
    await new Promise(setImmediate)
    it.run(1, [])
    expect(it.alerts.list()).toMatchObject([{ state: 'firing', value: 90 }])
    Object.assign(it.source, { facts: () => Promise.reject(new Error('closed')) })
    it.run(40, [])
    expect(it.alerts.list()).toMatchObject([{ state: 'firing', noDataSince: expect.any(String) as string }])
  })

  test.each([
    ['goes on', 20, 'firing'],
    ['begins anew, as its facts are too old to say anything', 40, 'pending'],
  ])('on a fact %s after a pause of the process', async (_what, pauseSeconds, state) => {
    const full = { metric: 'dataDisk.usedPercent', when: 'above', value: 50, forSeconds: 15 } as const
    const it = await bench({ name: 'Full', severity: 'critical', threshold: full })
    it.source.factsNow = { ...wellFacts, diskFreeBytes: 100 }
    const seconds = async (count: number) => {
      it.run(count, [])
      await new Promise(setImmediate)
    }
    await seconds(1)
    await seconds(2)
    expect(it.states()).toEqual(['pending'])
    it.clock.pass(pauseSeconds * 1000)
    it.alerts.evaluate(frameAt(it.clock.now(), [], { durationMs: pauseSeconds * 1000 }))
    await new Promise(setImmediate)
    await seconds(1)
    expect(it.states()).toEqual([state])
  })
})

describe('a value in the text of an alert', () => {
  test.each([
    [0, 'ms', '0 ms'],
    [0.00025, 'ms', '250 ns'],
    [0.005, 'ms', '5 µs'],
    [0.99999, 'ms', '1 ms'],
    [31.2345, 'ms', '31.23 ms'],
    [999.99, 'ms', '1 s'],
    [90_000, 'ms', '90 s'],
    [1536, 'bytes', '1.5 KiB'],
    [99.5, 'percent', '99.5%'],
    [0.25, 'per second', '0.25/s'],
    [3, 'count', '3'],
  ] as const)('%d %s is written as %s', (value, unit, text) => {
    expect(amountText({ amount: value, unit })).toBe(text)
  })

  test('is a short latency as the console writes it', async () => {
    const fast = { metric: 'latency.mean', when: 'above', value: 0.005, forSeconds: 0 } as const
    const it = await bench({ name: 'Fast', severity: 'warning', threshold: fast })
    it.run(2, [series('shop', 2000, 8000)])
    expect(it.alerts.list()[0]?.text).toBe('Fast: the mean latency of operations of shop is 8 µs, above 5 µs')
  })

  test('is the time of a target', () => {
    expect([5, 500, 1000, 2500, 1e6].map((us) => amountText({ amount: us / 1000, unit: 'ms' }))).toEqual([
      '5 µs',
      '500 µs',
      '1 ms',
      '2.5 ms',
      '1 s',
    ])
  })
})

describe('a flag', () => {
  const flags = metrics.filter(({ unit }) => unit === 'flag')

  test.each(flags)('$metric says in a sentence where it stands, also if it never fired', async ({ metric }) => {
    const it = await bench({
      name: 'Flag',
      severity: 'warning',
      threshold: { metric, when: 'above', value: 0.5, forSeconds: 0 },
    })
    const shop = { name: 'shop', failed: false, writesStopped: false, usedPercent: undefined }
    const texts: string[] = []
    for (const on of [false, true]) {
      const namespaces = [{ ...shop, failed: on, writesStopped: on }]
      it.source.factsNow = { ...wellFacts, namespaces, dataDirectoryFailed: on, historyFailed: on }
      // The facts are read every 5 s, and each reading ends before the next one.
      for (const seconds of [1, 6, 1]) {
        it.run(seconds, [])
        await new Promise(setImmediate)
      }
      texts.push(it.alerts.list()[0]?.text ?? '')
    }
    expect(texts).toEqual(flagTexts[metric])
  })

  const flagTexts: Record<string, string[]> = {
    'namespace.failed': ['Flag: shop works', 'Flag: shop failed, or refuses writes after a failure'],
    'namespace.writesStopped': ['Flag: shop takes writes that add data', 'Flag: shop refuses writes that add data'],
    'dataDirectory.failed': ['Flag: the data directory takes writes', 'Flag: the data directory takes no writes'],
    'history.failed': ['Flag: the history of metrics is written', 'Flag: the history of metrics cannot be written'],
  }
})

describe('what a rule watches', () => {
  test('each namespace has an alert of its own; a dropped one ends it', async () => {
    const it = await bench({ ...large, threshold: { ...threshold, forSeconds: 0 } })
    it.source.namespaces = ['shop', 'logs']
    it.run(1, [], holding(21))
    expect(it.alerts.list().map(({ namespace, state }) => [namespace, state])).toEqual([
      ['shop', 'firing'],
      ['logs', 'ok'],
    ])
    it.source.namespaces = ['logs']
    it.run(1, [])
    expect(it.alerts.list().map(({ namespace }) => namespace)).toEqual(['logs'])
    expect(it.alerts.events()[0]).toMatchObject({ kind: 'resolved', namespace: 'shop' })
  })

  test('a dropped namespace ends its alert although another one has its name at once', async () => {
    const it = await bench({ ...large, threshold: { ...threshold, forSeconds: 0, resolveForSeconds: 3600 } })
    it.source.namespaces = ['shop']
    it.run(1, [], holding(21))
    expect(it.states()).toEqual(['firing'])
    it.alerts.dropNamespace('shop')
    // The frame that was under way is about the old one.
    it.run(1, [], holding(21))
    expect(it.kinds()).toEqual(['firing', 'resolved'])
    it.run(2, [], holding(1))
    expect([it.states(), it.kinds()]).toEqual([['ok'], ['firing', 'resolved']])
    it.run(1, [], holding(21))
    expect([it.states(), it.kinds()]).toEqual([['firing'], ['firing', 'resolved', 'firing']])
  })

  test('a namespace that got the name of another has alerts of its own, and a rule of the other watches nothing', async () => {
    const it = await bench({ ...large, namespace: 'shop' })
    it.run(6, [], holding(21))
    expect(it.alerts.list()).toMatchObject([{ state: 'firing', namespaceId: "shop's" }])
    Object.assign(it.source.ids, { tenureOf: () => ({ id: 'another', sinceMs: it.clock.now() }) })
    expect(it.alerts.list()).toMatchObject([{ state: 'firing', former: true }])
    it.run(6, [], holding(21))
    expect([it.states(), it.kinds()]).toEqual([[], ['firing', 'resolved']])
    expect(it.alerts.events().map(({ namespaceId }) => namespaceId)).toEqual(["shop's", "shop's"])
    const [rule] = it.alerts.rules.list()
    await it.alerts.rules.replace(rule?.id ?? '', { ...large, namespace: 'shop' }, 'token', () => undefined)
    it.run(6, [], holding(21))
    expect(it.alerts.list()).toMatchObject([{ state: 'firing', namespaceId: 'another' }])
  })

  test('a changed threshold goes on, a changed metric begins anew', async () => {
    const it = await bench(large)
    it.run(6, [], holding(21))
    const id = it.ruleId
    await it.alerts.rules.replace(id, { ...large, name: 'Larger' }, 'token', () => undefined)
    it.run(1, [], holding(21))
    expect([it.states(), it.kinds()]).toEqual([['firing'], ['firing']])
    const records = { ...threshold, metric: 'namespace.records' }
    await it.alerts.rules.replace(id, { ...large, threshold: records }, 'token', () => undefined)
    it.run(1, [], holding(21))
    expect([it.states(), it.kinds()]).toEqual([['ok'], ['firing', 'resolved']])
  })

  test('a rule that is off is not evaluated', async () => {
    const it = await bench({ ...large, enabled: false })
    it.run(10, [], holding(21))
    expect(it.alerts.list()).toEqual([])
  })

  test('a disk that is not in a frame is a gap', async () => {
    const busy = { metric: 'disk.busyPercent', when: 'above', value: 50, forSeconds: 0 } as const
    const it = await bench({ name: 'Busy', severity: 'warning', threshold: busy })
    const disk = {
      path: 'data.tsr',
      readBytesPerSecond: 0,
      writeBytesPerSecond: 0,
      readsPerSecond: 0,
      writesPerSecond: 0,
      syncsPerSecond: 0,
      queueDepth: 0,
      inFlight: 0,
      busyPercent: 90,
    }
    const load = {
      namespace: 'shop',
      flushQueueBytes: 0,
      defragQueueBlocks: 0,
      appendedBytesPerSecond: 0,
      movedBytesPerSecond: 0,
      disks: [disk],
    }
    it.run(1, [], { devices: [load] })
    it.run(1, [])
    expect(it.alerts.list()).toMatchObject([
      { state: 'firing', disk: 'data.tsr', noDataSince: expect.any(String) as string },
    ])
  })

  test('what a second may cost is bounded, and what is left out is said', async () => {
    const it = await bench(large)
    await it.alerts.rules.add({ ...large, name: 'Other' }, 'token')
    it.source.namespaces = Array.from({ length: 800 }, (_, n) => `ns${n}`)
    it.run(1, [])
    expect(it.alerts.list()).toHaveLength(1000)
    expect(it.alerts.problems()).toMatchObject([
      { code: 'alerts_left_out', message: expect.stringContaining('600') as string },
    ])
  })
})

describe('a window of latency', () => {
  const window = (seconds: number) => new LatencyWindow({ op: 'reads', side: 'engine' }, seconds)

  test('forgets what is older than its length', () => {
    const it = window(60)
    it.push(1000, 1000, [series('shop', 1000, 2e6)])
    expect(it.quantileMs(0.99)).toBeCloseTo(2, 1)
    for (let second = 2; second <= 61; second += 1) it.push(second * 1000, 1000, [series('shop', 100, 1e5)])
    expect(it.quantileMs(0.99)).toBeCloseTo(0.1, 2)
    expect([it.operations, it.perSecond(), it.maxMs()]).toEqual([6000, 100, 0.1])
  })

  test('does not tell a quantile from few operations', () => {
    const it = window(60)
    it.push(1000, 1000, [series('shop', 999, 1e5)])
    expect([it.quantileMs(0.99), it.meanMs()]).toEqual([undefined, 0.1])
    it.push(2000, 1000, [series('shop', 1, 1e5)])
    expect(it.quantileMs(0.99)).toBeCloseTo(0.1, 2)
  })

  test('counts only its operations and its side; a second without any is a zero, no second is no data', () => {
    const it = window(60)
    expect(it.perSecond()).toBeUndefined()
    it.push(1000, 1000, [])
    expect([it.perSecond(), it.errorPercent()]).toEqual([0, undefined])
    const other = [series('shop', 5, 1e5, { op: 'put' }), series('shop', 5, 1e5, { side: 'gateway' })]
    it.push(2000, 1000, [...other, series('shop', 3, 1e5), series('shop', 1, 1e5, { outcome: 'error' })])
    expect([it.perSecond(), it.errorsPerSecond(), it.errorPercent()]).toEqual([2, 0.5, 25])
  })
})

describe('a namespace of the lab', () => {
  const lab = `${prefixOf(newId())}-paged`
  const full: Partial<MetricsFrame> = {
    sizes: [lab, 'shop', 'lab-notes'].map((namespace) => ({ namespace, records: 1, bytes: 21 })),
    devices: [lab, 'shop'].map((namespace) => ({ namespace, disks: [{ path: '/dev/a' }] })) as MetricsFrame['devices'],
  }
  const diskRule: AlertRuleSpec = {
    ...large,
    threshold: { metric: 'disk.busyPercent', when: 'above', value: 20, forSeconds: 5 },
  }
  const watched = async (rule: AlertRuleSpec): Promise<(string | undefined)[]> => {
    const it = await new Bench().start()
    it.source.namespaces = [lab, 'shop', 'lab-notes']
    await it.alerts.rules.add(rule, 'token')
    it.run(6, [], full)
    return it.alerts.list().map(({ namespace }) => namespace)
  }

  test('has no alerts, and one that a user calls lab has', async () => {
    expect(await watched(large)).toEqual(['shop', 'lab-notes'])
    expect(await watched(diskRule)).toEqual(['shop'])
    const target: AlertRuleSpec = {
      name: 'Fast',
      severity: 'warning',
      target: { op: 'get', percent: 99, withinUs: 1000 },
    }
    expect(await watched(target)).toEqual(['shop', 'lab-notes'])
  })

  test('has one if a rule names it', async () => {
    expect(await watched({ ...large, namespace: lab })).toEqual([lab])
    expect(await watched({ ...diskRule, namespace: lab })).toEqual([lab])
  })
})
