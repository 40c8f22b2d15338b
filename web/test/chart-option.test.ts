import { CustomChart, LineChart } from 'echarts/charts'
import { GridComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { describe, expect, test } from 'vitest'
import { optionOf } from '../src/charts/spec/option'
import { heatPixels } from '../src/charts/spec/heat'
import { labelsOf, spreadOf } from '../src/charts/spec/labels'
import { gapsOf, idleOf, xScale, yScale, type View } from '../src/charts/spec/scale'
import type { ChartSpec, Series } from '../src/charts/spec/spec'
import { viridis } from '../src/charts/viridis'
import { csvOf, tableOf } from '../src/charts/spec/table'
import { tickText } from '../src/charts/spec/formats'
import { evenTicks, logTicks, timeTicks } from '../src/charts/spec/ticks'
import type { ChartTheme } from '../src/charts/theme'

use([LineChart, CustomChart, GridComponent, SVGRenderer])

const theme: ChartTheme = {
  dark: false,
  paper: false,
  contrast: false,
  ink: '#000001',
  mute: '#000002',
  line: '#000003',
  strong: '#000004',
  panel: '#ffffff',
  accent: '#000005',
  good: '#000006',
  warn: '#000007',
  bad: '#000008',
  violet: '#000009',
  none: '#00000a',
  track: '#000014',
  gap: '#00000b',
  edge: '#00000c',
  series: {
    1: '#0000f1',
    2: '#0000f2',
    3: '#0000f3',
    4: '#0000f4',
    5: '#0000f5',
    warn: '#0000f6',
    bad: '#0000f7',
    p50: '#0000f8',
    p99: '#0000f9',
    'p99.9': '#0000fa',
    max: '#0000fb',
  },
  font: 'sans-serif',
  mono: 'monospace',
}
const all: View = { hidden: [] }
const SIZE = { width: 400, height: 150 }
const WIDE = { width: 800, height: 150 }

const line = (id: string, values: (number | null)[], part: Partial<Series> = {}): Series => ({
  id,
  name: id,
  colour: 1,
  values,
  ...part,
})

const specOf = (series: Series[], part: Partial<ChartSpec> = {}): ChartSpec => ({
  x: { name: 'at', scale: 'linear', format: 'seconds', values: [0, 10, 20, 30] },
  y: { scale: 'linear', format: 'short' },
  series,
  ...part,
})

/** The picture as ECharts draws it, as SVG. */
function picture(spec: ChartSpec, view = all, own = theme, size = SIZE): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...size })
  chart.setOption(optionOf(spec, own, view, size))
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg
}

const texts = (svg: string): string[] => [...svg.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text = '']) => text)
/** The paths with a colour as their stroke. */
const strokes = (svg: string, colour: string): string[] =>
  [...svg.matchAll(/<path d="([^"]*)"[^>]*?stroke="([^"]*)"[^>]*>/g)]
    .filter(([, , stroke]) => stroke === colour)
    .map(([, path = '']) => path)

describe('a picture', () => {
  test('has the labels of its axes, and a line with its gap', () => {
    const svg = picture(specOf([line('a', [10, 20, null, 30])]))
    expect(texts(svg).slice(0, 10)).toEqual(['0', '20', '40', '0 s', '5 s', '10 s', '15 s', '20 s', '25 s', '30 s'])
    // Two parts: a line between two values, and a lone point.
    expect(strokes(svg, '#0000f1')[0]).toMatch(/^M[\d. ]+L[\d. ]+M[\d. ]+$/)
  })

  test('has dashes beside colours, and symbols where there is room', () => {
    const option = optionOf(specOf([line('a', [1, 2, 3, 4]), line('b', [1, 2, 3, 4], { colour: 2 })]), theme, all, SIZE)
    const series = [option.series ?? []].flat()
    const [a, b] = ['a', 'b'].map((id) => series.find((one) => one.id === id))
    expect([a, b]).toMatchObject([
      { symbol: 'circle', lineStyle: { type: 'solid' } },
      { symbol: 'diamond', lineStyle: { type: [6, 3] } },
    ])
    const many = Array.from({ length: 100 }, (_, index) => index)
    const dense = specOf([line('a', many)], { x: { name: 'at', scale: 'linear', format: 'plain', values: many } })
    const symbolIn = (view: View): unknown =>
      [optionOf(dense, theme, view, SIZE).series ?? []].flat().find(({ id }) => id === 'a')
    expect(symbolIn(all)).toMatchObject({ symbol: 'none' })
    expect(symbolIn({ hidden: [], zoom: { from: 0, to: 20 } })).toMatchObject({ symbol: 'circle' })
  })

  test('leaves out what is switched off, and every series and axis has an id', () => {
    const option = optionOf(specOf([line('a', [1]), line('b', [2])]), theme, { hidden: ['a'] }, SIZE)
    const ids = [option.series ?? []].flat().map(({ id }) => id)
    expect(ids).toEqual(['bands', 'b', 'marks'])
    expect(option).toMatchObject({ animation: false, xAxis: { id: 'x' }, yAxis: { id: 'y' }, grid: { id: 'plot' } })
  })

  test('shades a gap and says that there is no data', () => {
    const svg = picture(specOf([line('a', [1, null, null, 4])]))
    expect(texts(svg)).toContain('no data')
    expect(svg).toContain(`fill="${theme.gap}"`)
  })

  test('has targets, marks and spans', () => {
    const svg = picture(
      specOf([line('a', [1, 2, 3, 4])], {
        targets: [{ name: 'target', at: 2 }],
        marks: [{ at: 15, name: 'started' }],
        spans: { name: 'checkpoint', ranges: [{ from: 5, to: 8 }] },
      }),
    )
    expect([strokes(svg, theme.ink), strokes(svg, theme.mute)].map(({ length }) => length)).toEqual([1, 1])
    expect(svg).toContain(`fill="${theme.none}"`)
  })

  test('draws values with too few samples grey, joined to their neighbours', () => {
    const svg = picture(specOf([line('a', [1, 2, 3, 4], { thin: [false, false, true, true] })]))
    expect([strokes(svg, '#0000f1')[0], strokes(svg, theme.none)[0]].map((path) => path?.match(/L/g)?.length)).toEqual([
      1, 2,
    ])
    // So are their symbols: only the two sure values have the colour.
    expect(svg.split('fill="#0000f1"')).toHaveLength(3)
  })
})

describe('axes', () => {
  test('times are whole steps of the clock, never more than seven', () => {
    for (const span of [60_000, 300_000, 900_000, 3_600_000, 86_400_000, 30 * 86_400_000]) {
      const range = { from: 1_000_123, to: 1_000_123 + span }
      const ticks = timeTicks(range)
      expect(ticks.length).toBeGreaterThanOrEqual(3)
      expect(ticks.length).toBeLessThanOrEqual(7)
      expect(ticks.every((tick) => tick >= range.from && tick <= range.to)).toBe(true)
    }
  })

  test('times of days begin at midnight where the reader is, and midnight is written as the day', () => {
    const from = new Date(2026, 10, 20, 7, 30).getTime()
    const days = timeTicks({ from, to: from + 7 * 86_400_000 })
    expect(days.map((tick) => new Date(tick).getHours())).toEqual(days.map(() => 0))
    const hours = timeTicks({ from, to: from + 86_400_000 })
    expect(hours.map((tick) => new Date(tick).getHours())).toEqual([12, 18, 0, 6])
    const month = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
    expect(hours.map((tick) => tickText('moment', tick))).toEqual(['12:00', '18:00', month.format(hours[2]), '06:00'])
  })

  test('even values are round', () => {
    expect(evenTicks({ from: 0, to: 60 }, 6)).toEqual([0, 10, 20, 30, 40, 50, 60])
    expect(evenTicks({ from: 3, to: 3 }, 6)).toEqual([3])
    expect(evenTicks({ from: 1, to: 4 }, 6, 1)).toEqual([1, 2, 3, 4])
  })

  test('a logarithmic axis has powers of ten, and steps between if these are few', () => {
    expect(logTicks({ from: 60, to: 3e6 })).toEqual([100, 1000, 1e4, 1e5, 1e6])
    expect(logTicks({ from: 3, to: 30 })).toEqual([5, 10, 20])
    const scale = yScale(specOf([line('a', [5e7, 2e12])], { y: { scale: 'log', format: 'bytes' } }), all, 2)
    expect(scale.ticks.map(scale.text)).toEqual(['32.0 MiB', '1.00 GiB', '32.0 GiB', '1.00 TiB'])
  })

  test('the value axis reaches as far as it is told, and fits what is shown', () => {
    const spec = specOf([line('a', [1, 2, 3, 4]), line('b', [1, 2, 900, 4])], {
      y: { scale: 'linear', format: 'short', least: 10 },
    })
    expect(yScale(spec, all, 2).ticks).toEqual([0, 500, 1000])
    expect(yScale(spec, { hidden: ['b'] }, 2).to).toBe(10)
    expect(yScale(spec, { hidden: [], zoom: { from: 0, to: 15 } }, 4).to).toBe(10)
  })

  test('a logarithmic one begins where it is told and ends at a power of ten', () => {
    const y = { scale: 'log', format: 'latency', from: 1000 } as const
    const scale = yScale(specOf([line('a', [2000, 30_000, 400_000, null])], { y }), all, 2)
    expect(scale.ticks.map(scale.text)).toEqual(['1 µs', '10 µs', '100 µs', '1 ms'])
    const empty = yScale(specOf([line('a', [null])], { y: { ...y, least: 1e5 } }), all, 2)
    expect(empty.ticks.map(empty.text)).toEqual(['1 µs', '10 µs', '100 µs'])
  })

  test('nines spread what is near the whole', () => {
    const scale = yScale(specOf([line('a', [0.99])], { y: { scale: 'nines', format: 'share' } }), all, 2)
    expect(scale.ticks.map(scale.text)).toEqual(['0%', '99%', '99.99%', '100%'])
  })

  test('names stand at their places, and a zoom outside of the chart shows all', () => {
    const x = { name: 'phase', scale: 'names', format: 'plain', values: [0, 1], names: ['load', 'read'] } as const
    const scale = xScale(x, { from: 90, to: 99 })
    expect([scale.from, scale.to, scale.ticks.map(scale.text)]).toEqual([-0.5, 1.5, ['load', 'read']])
  })
})

test('a gap of columns is as wide as they are, one of points reaches to its neighbours', () => {
  const points = specOf([line('a', [1, null, 3, 4])])
  expect(gapsOf(points)).toEqual([{ from: 0, to: 20 }])
  expect(gapsOf({ ...points, x: { ...points.x, step: 10 } })).toEqual([{ from: 10, to: 20 }])
  // Nothing happened, and that is known.
  expect(gapsOf({ ...points, facts: [{ name: 'n', format: 'count', values: [1, 0, 1, 1] }] })).toEqual([])
})

test('where there was nothing to measure, the chart says so, and it is no gap', () => {
  const spec = specOf([line('a', [1, null, null, 4])], {
    facts: [{ name: 'n', format: 'count', values: [1, 0, 0, 1] }],
    idle: 'nothing read',
  })
  expect([gapsOf(spec), idleOf(spec)]).toEqual([[], [{ from: 0, to: 30 }]])
  expect(texts(picture(spec))).toContain('nothing read')
  const silent = { ...spec, facts: [{ name: 'n', format: 'count', values: [1, null, null, 1] } as const] }
  expect([gapsOf(silent), idleOf(silent)]).toEqual([[{ from: 0, to: 30 }], []])
})

test('bars stand side by side at their names, as high as their values', () => {
  const x = { name: 'set', scale: 'names', format: 'plain', values: [0, 1], names: ['a', 'b'] } as const
  const bars = [line('one', [10, 20], { look: 'bars' }), line('two', [20, 0], { look: 'bars', colour: 2 })]
  const rects = (colour: string, view = all): number[][] =>
    [...picture(specOf(bars, { x }), view).matchAll(/<path d="M([\d.]+) ([\d.]+)[^"]*"[^>]*fill="([^"]*)"/g)]
      .filter(([, , , fill]) => fill === colour)
      .map(([, left, top]) => [Number(left), Number(top)])
  const [[first = [], second = []], [other = [], none]] = [rects('#0000f1'), rects('#0000f2')]
  expect(none).toBeUndefined()
  expect(first[0]).toBeLessThan(other[0] ?? 0)
  expect(other[0]).toBeLessThan(second[0] ?? 0)
  expect(other[1]).toBe(second[1])
  expect(first[1]).toBeGreaterThan(other[1] ?? 0)
  // Alone it stands in the middle, and is not as wide as there is room.
  expect(rects('#0000f1', { hidden: ['two'] })[0]?.[0]).toBeGreaterThan(first[0] ?? 0)
})

describe('labels at the right edge', () => {
  const two = specOf([line('reads', [1, 2, 3, 40]), line('writes', [5, 6, null, null], { colour: 2 })])
  const ends = (spec: ChartSpec, view = all, size = WIDE): string[] => texts(picture(spec, view, theme, size))

  test('name each line where its newest value is, and the value of a line that is alone', () => {
    expect(ends(two)).toEqual(expect.arrayContaining(['reads', 'writes']))
    expect(ends(two, { hidden: ['reads'] })).not.toContain('reads')
    expect(ends(specOf([line('reads', [1, 2, 3, 37])]))).toContain('37')
    expect(ends(two, all, SIZE)).not.toContain('reads')
  })

  test('are of what is shown', () => {
    const view: View = { hidden: [], zoom: { from: 0, to: 10 } }
    const label = (spec: ChartSpec): unknown[] =>
      labelsOf(spec, view, xScale(spec.x, view.zoom), yScale(spec, view, 2)).map(({ text, level }) => [text, level])
    expect(label(two)).toEqual([
      ['reads', 2],
      ['writes', 6],
    ])
    expect(label(specOf([line('none', [null, null, 3, 4]), line('bars', [1, 2, 3, 4], { look: 'bars' })]))).toEqual([])
  })

  test('stand apart, near their lines, and inside of the plot', () => {
    expect(spreadOf([10, 50], 0, 100)).toEqual([10, 50])
    expect(spreadOf([50, 10, 12], 0, 100)).toEqual([50, 10, 23])
    expect(spreadOf([98, 99, 100], 0, 100)).toEqual([74, 87, 100])
    expect(spreadOf([-5], 0, 100)).toEqual([0])
  })
})

test('CSV has numbers instead of texts, and quotes names', () => {
  const spec = specOf([line('a "b", c', [1000, null])], {
    x: { name: 'time', scale: 'time', format: 'clock', values: [0, 1000], step: 1000 },
    y: { scale: 'linear', format: 'bytes' },
    facts: [{ name: 'n', format: 'count', values: [7, null] }],
  })
  expect(csvOf(spec, all)).toBe(
    'time,"a ""b"", c (bytes)",n\r\n1970-01-01T00:00:00.000Z,1000,7\r\n1970-01-01T00:00:01.000Z,,\r\n',
  )
  expect(tableOf(spec, all).rows.map((cells) => cells.slice(1))).toEqual([
    ['1000 B', '7'],
    ['–', '–'],
  ])
})

test('a heatmap has a pixel of its level where values were, none elsewhere, and rows beyond the axis', () => {
  const axis = { name: 'time', scale: 'time', format: 'clock', values: [0, 10], step: 10 } as const
  const y = { from: 1, to: 100, log: true, ticks: [], text: String }
  // Two rows; the first column has values in the upper one and above the axis, the second below it.
  const heat = { edges: [1, 10, 100], levels: Uint8Array.of(0, 0, 200, 255, 9, 0, 0, 0) }
  const [width, height] = [4, 60]
  const words = heatPixels(heat, axis, {
    x: { ...y, ...axis, from: 0, to: 20, log: false },
    y,
    width,
    height,
    ratio: 1,
  })
  const column = (left: number): (number | undefined)[] =>
    Array.from({ length: height }, (_, top) => words[top * width + left])
  const [first, second] = [column(1), column(2)]
  expect(new Set(first.slice(9, 30))).toEqual(new Set([viridis[200]]))
  expect(new Set(first.slice(30))).toEqual(new Set([0]))
  expect(first[1]).not.toBe(0)
  expect(new Set(second.slice(0, 52))).toEqual(new Set([0]))
  expect(second.slice(52)).toContain(viridis[9])
})

describe('the names below bars', () => {
  const long = 'a-set-with-a-name-that-is-as-long-as-a-name-of-a-set-may-be-here'
  const bars = (names: string[]): ChartSpec =>
    specOf(
      [
        line(
          'bytes',
          names.map((_, at) => 10 * (at + 1)),
          { look: 'bars' },
        ),
      ],
      {
        x: { name: 'set', scale: 'names', format: 'plain', values: names.map((_, at) => at), names },
      },
    )

  test('are all there on a narrow chart, the long ones shortened', () => {
    const said = texts(picture(bars(['orders', long, 'users']), all, theme, { width: 360, height: 200 }))
    expect(said).toContain('orders')
    expect(said).toContain('users')
    expect(said.filter((text) => text.startsWith('a-set-'))).toEqual([expect.stringMatching(/^a-set-.*\.\.\.$/)])
  })

  test('are whole where there is room', () => {
    const said = texts(picture(bars(['orders', long]), all, theme, { width: 1400, height: 200 }))
    expect(said).toEqual(expect.arrayContaining(['orders', long]))
  })
})

test('lines over a heatmap have a dark edge, and the slowest are dots', () => {
  const spec = specOf([
    line('p50', [1, 2, 3, 4], { colour: 'p50' }),
    line('max', [5, 6, 7, 8], { colour: 'max', look: 'dots' }),
  ])
  const ids = [optionOf(spec, theme, all, SIZE).series ?? []].flat().map(({ id }) => id)
  expect(ids).toEqual(['bands', 'p50 edge', 'p50', 'max', 'marks'])
})
