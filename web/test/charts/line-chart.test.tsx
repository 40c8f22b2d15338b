import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ComponentProps } from 'react'
import { expect, test } from 'vitest'
import { type Line, LineChart } from '../../src/charts/LineChart'
import { Painted } from './canvas'

const seconds = (at: number): string => `${at} s`
const reads = (...values: number[]): Line => ({ name: 'reads', colour: 'accent', values })
const writes = (...values: number[]): Line => ({ name: 'writes', colour: 'warn', values })
const none = Number.NaN

const chart = (part: Partial<ComponentProps<typeof LineChart>> = {}) => (
  <LineChart title="Throughput" x={[1, 2, 3]} xText={seconds} lines={[]} valueText={String} {...part} />
)
const cells = (): (string | null)[][] =>
  screen.getAllByRole('row').map((row) => [...row.children].map(({ textContent }) => textContent))

test('is a region of its title, and says the newest value of each line', () => {
  render(chart({ lines: [reads(10, 20, none), writes(none, none, none)] }))
  expect(screen.getByRole('region', { name: 'Throughput' }).textContent).toContain('readswrites')
  expect(screen.getByRole('img', { name: 'Throughput; newest: reads: 20, writes: –' })).toBeTruthy()
})

test('as a table it has a row for each point and a dash for a gap, and it becomes a chart again', async () => {
  const user = userEvent.setup()
  render(chart({ lines: [reads(10, none, 30), writes(1, 2, 3)] }))
  await user.click(screen.getByRole('button', { name: 'Show Throughput as table' }))
  expect(screen.getByRole('table', { name: 'Throughput' })).toBeTruthy()
  expect(cells()).toEqual([
    ['at', 'reads', 'writes'],
    ['1 s', '10', '1'],
    ['2 s', '–', '2'],
    ['3 s', '30', '3'],
  ])
  expect(screen.queryByRole('img')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Show Throughput as chart' }))
  expect(screen.getByRole('img', { name: /^Throughput/ })).toBeTruthy()
})

test('two points with the same text are two rows, whatever comes after them', async () => {
  const user = userEvent.setup()
  const { rerender } = render(chart({ x: [1, 1], lines: [reads(10, 20)] }))
  await user.click(screen.getByRole('button', { name: /as table/ }))
  rerender(chart({ x: [0, 1, 2], lines: [reads(5, 10, 20)] }))
  expect(cells().slice(1)).toEqual([
    ['0 s', '5'],
    ['1 s', '10'],
    ['2 s', '20'],
  ])
})

test('without points it has a name, and a table without rows', async () => {
  const painted = new Painted()
  render(chart({ x: [], lines: [reads()] }))
  expect(screen.getByRole('img', { name: 'Throughput; newest: reads: –' })).toBeTruthy()
  expect(painted.has('fill-accent', 1)).toEqual([false])
  await userEvent.setup().click(screen.getByRole('button', { name: /as table/ }))
  expect(cells()).toEqual([['at', 'reads']])
})

test('paints a line where it has values, and nothing into a gap', () => {
  const painted = new Painted()
  render(chart({ lines: [reads(10, none, 30), writes(none, 5, none)] }))
  expect(painted.has('fill-accent', 3)).toEqual([true, false, true])
  expect(painted.has('fill-warn', 3)).toEqual([false, true, false])
  expect(painted.texts).toEqual(['0', '20', '40', '1 s', '2 s', '3 s'])
})

test('has at most six labels below, and those that it is given instead', () => {
  const painted = new Painted({ width: 1072, height: 150 })
  const x = Array.from({ length: 60 }, (_, index) => index)
  const { rerender } = render(chart({ x, lines: [reads(...x)] }))
  expect(painted.texts.slice(3)).toEqual(['0 s', '10 s', '20 s', '30 s', '40 s', '50 s'])
  rerender(chart({ x, lines: [reads(...x)], ticks: [{ at: 0.5, text: '12:00' }] }))
  expect(painted.texts.slice(3)).toEqual(['12:00'])
})

test('its axis reaches at least as far as it is told, in steps of its unit', () => {
  const painted = new Painted()
  const lines = [reads(1, 2, 3)]
  const { rerender } = render(chart({ lines, least: 100 }))
  expect(painted.texts.slice(0, 3)).toEqual(['0', '50', '100'])
  rerender(chart({ lines: [reads(1, 2, 1500)], unitOf: () => 1024 }))
  expect(painted.texts.slice(0, 3)).toEqual(['0', '1024', '2048'])
})

test('a logarithmic axis has the decades from its first to above the highest value', () => {
  const painted = new Painted()
  render(chart({ lines: [reads(2000, 30_000, 400_000)], logFrom: 1000 }))
  expect(painted.texts.slice(0, 4)).toEqual(['1000', '10000', '100000', '1000000'])
})

test('marks and spans are painted at their places, and a span is in the legend', () => {
  const painted = new Painted()
  render(
    chart({
      lines: [reads(none, none, none)],
      marks: [0.3],
      spans: { name: 'checkpoint', places: [{ from: 0.75, to: 1 }] },
    }),
  )
  expect(painted.has('ink', 4)).toEqual([false, true, false, false])
  expect(painted.has('fill-none', 4)).toEqual([false, false, false, true])
  expect(screen.getByRole('region').textContent).toContain('checkpoint')
})

test('what changes out of view is painted when it comes into view', () => {
  const painted = new Painted(undefined, false)
  const { rerender } = render(chart({ lines: [reads(1, 2, 3)] }))
  const before = painted.paintings
  rerender(chart({ lines: [reads(100, 200, 300)] }))
  expect([painted.paintings, painted.texts[2]]).toEqual([before, '4'])
  act(() => painted.show(true))
  expect(painted.texts[2]).toBe('400')
})
