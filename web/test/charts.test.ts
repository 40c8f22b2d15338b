import { describe, expect, test } from 'vitest'
import { evenTicks, latencyTicks, logPlace, logTicks, roundTop, timeTicks } from '../src/charts/axes'
import { Raster } from '../src/charts/paint/raster'

const [BLACK, WHITE] = [0xff000000, 0xffffffff]

function painted(width: number, height: number, paint: (raster: Raster) => void): Raster {
  const raster = new Raster(width, height)
  raster.clear(WHITE)
  paint(raster)
  return raster
}

/** For each pixel column, how many of its pixels are darker than the ground. */
function inked({ words, width, height }: Raster): number[] {
  return Array.from({ length: width }, (_, x) => {
    let dark = 0
    for (let y = 0; y < height; y++) if (words[y * width + x] !== WHITE) dark++
    return dark
  })
}

describe('a raster', () => {
  test('cuts off what lies outside of it', () => {
    const raster = painted(4, 4, (one) => {
      one.rect(-5, -5, 2, 2, BLACK)
      one.mix(9, 9, BLACK, 1)
      one.mix(-1, 0, BLACK, 1)
    })
    expect([...raster.words].filter((word) => word === BLACK)).toHaveLength(4)
  })

  test('mixes by share', () => {
    expect(painted(1, 1, (one) => one.mix(0, 0, BLACK, 0.5)).words[0]).toBe(0xff7f7f7f)
  })

  test('draws a line from the first middle to the last without a hole, whatever the widths', () => {
    for (const width of [10, 97, 300, 901]) {
      const heights = Float64Array.from({ length: 30 }, (_, index) => 10 + (index % 5) * 7)
      const dark = inked(painted(width, 60, (one) => one.line(heights, 2, BLACK)))
      const [from, to] = [Math.round((0.5 * width) / 30), Math.round((29.5 * width) / 30)]
      expect(dark.slice(from, to).every((count) => count > 0)).toBe(true)
    }
  })

  test('breaks a line at a gap, and shows a lone value', () => {
    const heights = Float64Array.of(5, 5, Number.NaN, 5, Number.NaN, Number.NaN)
    const dark = inked(painted(60, 10, (one) => one.line(heights, 2, BLACK))).map((count) => count > 0)
    const ink = (column: number): boolean => dark.slice(column * 10, column * 10 + 10).includes(true)
    expect([0, 1, 2, 3, 4, 5].map(ink)).toEqual([true, true, false, true, false, false])
  })

  test('keeps a rising line as thick as a level one', () => {
    const level = inked(painted(80, 100, (one) => one.line(Float64Array.of(50, 50), 4, BLACK)))
    const rising = inked(painted(80, 100, (one) => one.line(Float64Array.of(20, 60), 4, BLACK)))
    expect(level[40]).toBe(4)
    // Across a line at 45 degrees, a column is longer by the root of two.
    expect(rising[40]).toBeGreaterThanOrEqual(6)
  })

  test('draws no peak out beyond its value', () => {
    const { words, width } = painted(9, 100, (one) => one.line(Float64Array.of(90, 30, 90), 3, BLACK))
    const inkedRows = [...words.keys()].filter((at) => words[at] !== WHITE).map((at) => Math.floor(at / width))
    expect(Math.min(...inkedRows)).toBeGreaterThanOrEqual(27)
  })
})

describe('axes', () => {
  test('times are whole steps of the clock, never more than seven', () => {
    for (const span of [60_000, 300_000, 900_000, 3_600_000]) {
      const ticks = timeTicks({ from: 1_000_123, to: 1_000_123 + span })
      expect(ticks.length).toBeGreaterThanOrEqual(3)
      expect(ticks.length).toBeLessThanOrEqual(7)
      expect(ticks.every(({ at }) => at >= 0 && at <= 1)).toBe(true)
    }
  })

  test('latencies are decades', () => {
    expect(latencyTicks(1e3, 1e6).map(({ text }) => text)).toEqual(['1 µs', '10 µs', '100 µs', '1 ms'])
  })

  test('the top of a load axis is round and holds the value', () => {
    expect([4, 5, 6.5, 411, 1000, 1001].map(roundTop)).toEqual([4, 6, 10, 600, 1000, 2000])
    expect(evenTicks(0, 600, 2, String).map(({ text }) => text)).toEqual(['0', '300', '600'])
  })
})

describe('a logarithmic axis', () => {
  test('has the powers of ten inside of it, each at its place', () => {
    const ticks = logTicks(60, 3_000_000, String)
    expect(ticks.map(({ text }) => text)).toEqual(['100', '1000', '10000', '100000', '1000000'])
    expect(ticks[0]?.at).toBeCloseTo(logPlace(100, 60, 3_000_000))
    expect([logPlace(60, 60, 600), logPlace(600, 60, 600)]).toEqual([0, 1])
  })

  test('that spans less than two of them has steps between', () => {
    expect(logTicks(3, 30, String).map(({ text }) => text)).toEqual(['5', '10', '20'])
  })
})
