import { describe, expect, test } from 'vitest'
import { percentileSpec, curveOf } from '../src/components/percentiles/percentile-spec'
import type { Column } from '../src/live/buffer'
import { BUCKETS } from '../src/live/latency/buckets'
import { compareSpans, sectionsOf } from '../src/live/latency/comparison'
import { measure } from '../src/live/latency/quantile'
import { addSeries, emptyTotals, type Totals } from '../src/live/latency/totals'
import { estimateOf, intervalOf, verdictOf } from '../src/live/latency/verdict'
import { quantileWords } from '../src/live/latency/words'
import { runColumns } from '../src/live/run-columns'
import { runCurve } from '../src/pages/benchmarks/run-curves'
import { ms } from '../src/pages/benchmarks/run-words'
import { otherSpan, withChoices, withOf } from '../src/pages/live/compare/other-span'
import { dice } from './dice'
import { seriesOf } from './frames'

function totalsFor(durations: number[]): Totals {
  const totals = emptyTotals()
  addSeries(totals, seriesOf(durations))
  return totals
}

/** Seconds with so many operations around a latency. */
function span(seed: number, seconds: number, { n = 400, ns = 200_000, noise = 0.2 } = {}): Column[] {
  const random = dice(seed)
  return Array.from({ length: seconds }, (_, second) => {
    const level = 1 + noise * (random() - 0.5)
    const durations = Array.from({ length: n }, () => ns * level * (0.5 + random()))
    return { start: second * 1000, durationMs: 1000, totals: totalsFor(durations) }
  })
}

const saidOf = (one: Column[], two: Column[]) =>
  Object.fromEntries(compareSpans(one, two).map(({ name, verdict: word }) => [name, word]))

describe('the verdict on two spans', () => {
  test('is no difference only if the interval lies within what counts as none', () => {
    expect(verdictOf({ difference: 0, low: -1, high: 1 }, 5, false)).toBe('no difference')
    // What noise hides is not said to be nothing.
    expect(verdictOf({ difference: 0, low: -9, high: 9 }, 5, false)).toBe('cannot tell')
    expect(verdictOf({ difference: 4, low: 1, high: 7 }, 5, false)).toBe('cannot tell')
    expect(verdictOf({ difference: 8, low: 1, high: 15 }, 5, false)).toBe('worse')
    expect(verdictOf({ difference: 8, low: 1, high: 15 }, 5, true)).toBe('better')
    expect(verdictOf(undefined, 5, true)).toBe('cannot tell')
  })

  test('equal spans are never said to differ, and what is twice as slow is', () => {
    const base = span(1, 60)
    for (let seed = 2; seed < 40; seed += 1) {
      const words = Object.values(saidOf(span(seed, 60), base))
      expect(words).not.toContain('better')
      expect(words).not.toContain('worse')
    }
    expect(saidOf(span(50, 60, { ns: 400_000 }), base)).toMatchObject({ mean: 'worse', p50: 'worse', p99: 'worse' })
    expect(saidOf(base, span(50, 60, { ns: 400_000 }))).toMatchObject({ mean: 'better', p50: 'better' })
  })

  test('steady spans show that they do not differ, noisy and short ones cannot tell', () => {
    expect(saidOf(span(1, 60, { noise: 0 }), span(2, 60, { noise: 0 }))).toMatchObject({
      rate: 'no difference',
      mean: 'no difference',
      p50: 'no difference',
      '≤ 1 ms': 'no difference',
    })
    const noisy = { noise: 1.9 }
    expect(saidOf(span(1, 20, noisy), span(2, 20, noisy))).toMatchObject({ mean: 'cannot tell', p50: 'cannot tell' })
    expect(new Set(Object.values(saidOf(span(1, 4), span(2, 4))))).toEqual(new Set(['cannot tell']))
  })

  test('a quantile with too few operations cannot tell and is thin, and so is what the histogram does not tell apart', () => {
    const few = compareSpans(span(1, 10, { n: 100 }), span(2, 10, { n: 100 })).find(({ name }) => name === 'p99.9')
    expect(few).toMatchObject({ thin: true, verdict: 'cannot tell', interval: undefined })
    expect(saidOf(span(1, 60, { ns: 60, noise: 0 }), span(2, 60, { ns: 60, noise: 0 }))['p50']).toBe('cannot tell')
  })

  test('values are those of the merged histograms', () => {
    const columns = span(3, 30)
    const merged = compareSpans(columns, columns).find(({ name }) => name === 'p99')
    const all = columns.map(({ totals }) => totals ?? emptyTotals())
    const buckets = Float64Array.from({ length: BUCKETS }, (_, at) =>
      all.reduce((sum, totals) => sum + (totals.buckets[at] ?? 0), 0),
    )
    const whole = { ...emptyTotals(), buckets, n: 12_000, first: 0, last: BUCKETS - 1, maxNs: Infinity }
    expect(merged?.value).toBe(measure(whole, 0.99)?.value)
  })

  test('sections have enough operations, and none is lost', () => {
    const columns = span(1, 61, { n: 10 })
    const sections = sectionsOf(columns, 100)
    expect(sections.flat()).toEqual(columns)
    expect(sections.map((section) => section.length)).toEqual([10, 10, 10, 10, 10, 11])
    expect(sectionsOf(columns, 1e9)).toEqual([])
  })

  test('neighbours that are alike make an interval wider', () => {
    const values = Array.from({ length: 20 }, (_, index) => index)
    const mixed = values.map((value) => (value % 2 === 0 ? value : 19 - value))
    const width = (sections: number[]): number => {
      const known = estimateOf(9.5, sections)
      return known === undefined ? NaN : intervalOf(known, known).high
    }
    expect(width(values)).toBeGreaterThan(width(mixed) * 1.5)
  })
})

describe('percentiles', () => {
  test('lie in the bounds of their bucket, the slowest at most at the maximum', () => {
    const totals = totalsFor([1000, 2000, 3000, 4000, 1e9])
    for (const q of [0, 0.5, 0.9, 0.999]) {
      const { value = NaN, low = NaN, high = NaN } = measure(totals, q) ?? {}
      expect(low <= value && value <= high && high <= totals.maxNs).toBe(true)
      expect(high / low).toBeLessThanOrEqual(1.0626)
    }
    const beyond = { ...totals, n: 6, overflow: 1, maxNs: 1e12 }
    expect(measure(beyond, 0.999)).toMatchObject({ value: 1e12, high: 1e12 })
  })

  test('in the first bucket are not told apart', () => {
    expect([90, 136, 137, 3100].map(quantileWords)).toEqual(['< 136 ns', '< 136 ns', '137 ns', '3.10 µs'])
  })

  test('have a place for each nine, end with the operations, and are grey where fewer than ten are slower', () => {
    const durations = Array.from({ length: 1000 }, (_, index) => 1000 + index * 10)
    const { x, series, facts } = percentileSpec([curveOf('selection', 1, totalsFor(durations))])
    expect([x.values[0], x.values.at(-1)]).toEqual([1, 1000])
    const [line] = series
    const at = (oneIn: number) => x.values.indexOf(oneIn)
    expect([line?.thin?.[at(100)], line?.thin?.[at(125)]]).toEqual([false, true])
    expect(line?.values[at(2)]).toBeCloseTo(6000, -2)
    expect(facts?.map(({ name }) => name)).toEqual(['selection, at least', 'selection, at most'])
    expect(percentileSpec([curveOf('none', 1, emptyTotals())]).x.values).toEqual([])
  })

  test('of a run are those of its histograms', () => {
    const [read, write] = [seriesOf([1000, 2000, 3000]), seriesOf([9000])]
    const latency = { items: [0, 1].map((second) => ({ atSeconds: second + 1, seconds: 1, read, write })) }
    const curve = runCurve('read', 1, { read: { count: 6 } } as never, 'read', latency)
    expect(curve.places).toBeUndefined()
    expect(curve.at(2)).toEqual(measure(totalsFor([1000, 1000, 2000, 2000, 3000, 3000]), 0.5))
    expect(runColumns(latency).map(({ start, totals }) => [start, totals?.n])).toEqual([
      [0, 4],
      [1000, 4],
    ])
    expect(runColumns(latency, 'writes').map(({ totals }) => totals?.n)).toEqual([1, 1])
  })

  test('of a run without histograms are known to a microsecond', () => {
    const summary = { count: 5000, p50Ms: 0.001, p90Ms: 0.001, p99Ms: 0.02, p999Ms: 1.5, maxMs: 1.5 }
    const curve = runCurve('read', 1, { read: summary } as never, 'read', { items: [] })
    expect(curve.at(2)).toMatchObject({ low: 490, high: 1500 })
    const { series } = percentileSpec([curve])
    expect(series[0]).toMatchObject({ values: [1000, 1000, 20_000, 1_500_000], thin: [false, false, false, true] })
    expect([0, 0.001, 0.002, 0.0141, 0.5, 3.1].map(ms)).toEqual([
      '< 1 µs',
      '< 2 µs',
      '2 µs',
      '14 µs',
      '500 µs',
      '3.10 ms',
    ])
  })
})

describe('what a span is compared with', () => {
  const range = { from: 1_000_000, to: 1_060_000 }
  const filter = { side: 'gateway' as const, namespace: 'a' }
  const run = {
    id: '001',
    spec: { namespace: 'shop', name: 'steady' },
    createdAt: '2026-11-26T12:00:00.000Z',
    endedAt: '2026-11-26T12:01:00.000Z',
    result: { elapsedSeconds: 10 },
  } as never

  test('comes from the address, and nothing else does', () => {
    for (const text of ['before', 'day', 'run:001', '5..9']) expect(withOf(text)).toBe(text)
    for (const text of ['', 'week', 'run:', 'run:a/b', '9..5', '1..2..3', 7]) expect(withOf(text)).toBeUndefined()
  })

  test('is an equal span, a pinned one, or the measured time of a run in the engine', () => {
    expect(otherSpan('before', range, filter, [])?.range).toEqual({ from: 940_000, to: 1_000_000 })
    expect(otherSpan('day', range, filter, [])?.range.from).toBe(1_000_000 - 86_400_000)
    expect(otherSpan('5..9', range, filter, [])).toMatchObject({ range: { from: 5, to: 9 }, filter })
    const to = Date.parse('2026-11-26T12:01:00.000Z')
    expect(otherSpan('run:001', range, filter, [run])).toMatchObject({
      range: { from: to - 10_000, to },
      run: '001',
      filter: { side: 'engine', namespace: 'shop' },
    })
    expect(otherSpan('run:002', range, filter, [run])).toBeUndefined()
    expect(withChoices('5..9', [run]).map(({ value }) => value)).toEqual(['', 'before', 'day', '5..9', 'run:001'])
  })
})
