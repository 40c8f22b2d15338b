import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { LogChart } from '../../src/charts/log/LogChart'
import type { LogAxis, Series } from '../../src/charts/log/series'
import { Painted } from './canvas'

const records: LogAxis = { name: 'records', text: (value) => `${value} records`, tick: String }
const elapsed: LogAxis = { name: 'elapsed', text: (value) => `${value} ms`, tick: String }
const on: Series = {
  name: 'index on',
  colour: 'accent',
  look: 'solid',
  points: [
    { x: 100, y: 0.5 },
    { x: 10_000, y: 2 },
  ],
}
const off: Series = { name: 'index off', colour: 'warn', look: 'dashed', points: [{ x: 10_000, y: 80 }] }

function open(series: readonly Series[] = [on, off], width = 600) {
  const painted = new Painted({ width, height: 300 })
  const { container } = render(<LogChart title="Set index" x={records} y={elapsed} series={series} />)
  return { painted, container, user: userEvent.setup() }
}

const plot = (): HTMLElement => screen.getByRole('img')
const texts = (): (string | null)[] => [...plot().querySelectorAll('text')].map(({ textContent }) => textContent)
const cells = (): (string | null)[][] =>
  screen.getAllByRole('row').map((row) => [...row.children].map(({ textContent }) => textContent))

test('is a region of its title; its picture has a name, and says where the numbers are', () => {
  open()
  expect(screen.getByRole('region', { name: 'Set index' }).contains(plot())).toBe(true)
  expect(plot().getAttribute('aria-label')).toBe('Set index; see the table for the numbers')
})

test('names its series and its axes, and labels whole powers of ten', () => {
  open()
  expect(texts()).toEqual(['index on', 'index off', 'elapsed', '1', '10', '100', '100', '1000', '10000', 'records'])
})

test('draws one mark for each point, solid or dashed, and joins them', () => {
  open()
  const circles = plot().querySelectorAll('circle')
  const diamonds = [...plot().querySelectorAll('path')].filter(({ outerHTML }) => outerHTML.includes('Z'))
  // One more of each is in the legend.
  expect([circles.length, diamonds.length]).toEqual([3, 2])
  const [low, high] = [...circles].slice(1).map((one) => ['cx', 'cy'].map((name) => Number(one.getAttribute(name))))
  expect(high?.[0]).toBeGreaterThan(low?.[0] ?? NaN)
  expect(high?.[1]).toBeLessThan(low?.[1] ?? NaN)
  const lines = [...plot().querySelectorAll('path')].map((path) => path.getAttribute('d'))
  expect(lines).toContain(`M${low?.join(' ')}L${high?.join(' ')}`)
})

test('as a table it has a row for each x, by size, and a dash for a series without it', async () => {
  const { user } = open()
  await user.click(screen.getByRole('button', { name: 'Show Set index as table' }))
  expect(cells()).toEqual([
    ['records', 'index on', 'index off'],
    ['100 records', '0.5 ms', '–'],
    ['10000 records', '2 ms', '80 ms'],
  ])
  expect(screen.queryByRole('button', { name: 'Save Set index as PNG' })).toBeNull()
})

test('the pointer shows the values nearest to it, until it leaves', () => {
  const { container } = open()
  const pane = container.querySelector('.pane') ?? document.body
  const tip = (): (string | null)[] => [...pane.querySelectorAll('dt, dd')].map(({ textContent }) => textContent)
  expect(tip()).toEqual([])
  fireEvent.pointerMove(pane, { clientX: 90 })
  expect(tip()).toEqual(['records', '100 records', 'index on', '0.5 ms', 'index off', '–'])
  fireEvent.pointerMove(pane, { clientX: 500 })
  expect(tip()).toEqual(['records', '10000 records', 'index on', '2 ms', 'index off', '80 ms'])
  fireEvent.pointerLeave(pane)
  expect(tip()).toEqual([])
})

test.each([
  ['no series', []],
  ['series without points', [{ ...on, points: [] }]],
])('%s: draws nothing, and has a table without rows', async (_, series) => {
  const { user } = open(series)
  expect(screen.queryByRole('img')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Show Set index as table' }))
  expect(cells()).toHaveLength(1)
})

test('a picture that cannot be saved says why', async () => {
  const { user, container } = open()
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
  await user.click(screen.getByRole('button', { name: 'Save Set index as PNG' }))
  expect((await screen.findByRole('alert')).textContent).toBe('The console failedthis browser cannot draw images')
  expect(container.querySelector('svg')).not.toBeNull()
})
