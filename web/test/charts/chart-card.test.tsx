import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Profiler } from 'react'
import { expect, test, vi } from 'vitest'
import { ChartCard } from '../../src/charts/card/ChartCard'
import { ChartGroup } from '../../src/charts/card/ChartGroup'
import { ChartLink } from '../../src/charts/card/link'
import type { ChartSource } from '../../src/charts/card/source'
import type { ChartSpec, Series } from '../../src/charts/spec/spec'
import * as files from '../../src/components/save-file'
import { Staged } from './stage'

const reads = (...values: (number | null)[]): Series => ({ id: 'reads', name: 'reads', colour: 1, values })
const writes = (...values: (number | null)[]): Series => ({ id: 'writes', name: 'writes', colour: 2, values })

function specOf(series: Series[], values = [0, 10, 20, 30, 40], part: Partial<ChartSpec> = {}): ChartSpec {
  return {
    x: { name: 'at', scale: 'linear', format: 'seconds', values },
    y: { scale: 'linear', format: 'short' },
    series,
    ...part,
  }
}
const both = specOf([reads(1, 2, null, 4, 5), writes(10, 20, null, null, 50)])

function open(spec = both, staged = new Staged()) {
  const card = (of: ChartSpec) => <ChartCard title="Load" spec={of} />
  const { container, rerender, unmount } = render(card(spec), { wrapper: staged.around })
  return { staged, container, unmount, show: (of: ChartSpec) => rerender(card(of)), user: userEvent.setup() }
}

const cursor = (title = 'Load'): HTMLElement => screen.getByRole('slider', { name: new RegExp(`^Cursor of ${title}`) })
const cursorText = (): string | null => cursor().getAttribute('aria-valuetext')
const cells = (): (string | null)[][] =>
  screen.getAllByRole('row').map((row) => [...row.children].map(({ textContent }) => textContent))
const tip = (container: HTMLElement): string | undefined => container.querySelector('.tip')?.textContent
const zoomOf = ({ last }: Staged) => last?.view.zoom

test('is a region of its title, says the newest values, and draws them', () => {
  const { staged } = open()
  expect(screen.getByRole('region', { name: 'Load' })).toBeTruthy()
  expect(screen.getByRole('img', { name: 'Load; newest: reads: 5, writes: 50' })).toBeTruthy()
  expect(staged.last).toMatchObject({ spec: both, width: 674, height: 150, view: { hidden: [], zoom: undefined } })
})

test('as a table it has a row for each x and a dash for a gap, and it becomes a chart again', async () => {
  const { user } = open()
  await user.click(screen.getByRole('button', { name: 'Show Load as table' }))
  expect(cells()).toEqual([
    ['at', 'reads', 'writes'],
    ['0 s', '1', '10'],
    ['10 s', '2', '20'],
    ['20 s', '–', '–'],
    ['30 s', '4', '–'],
    ['40 s', '5', '50'],
  ])
  await user.click(screen.getByRole('button', { name: 'Show Load as chart' }))
  expect(screen.getByRole('img', { name: /^Load/ })).toBeTruthy()
})

test('a click in the legend switches a series off and on, with Shift it leaves only that one', async () => {
  const { staged, user } = open()
  const entry = (name: string): HTMLElement => screen.getByRole('button', { name })
  await user.click(entry('reads'))
  expect([staged.last?.view.hidden, entry('reads').getAttribute('aria-pressed')]).toEqual([['reads'], 'false'])
  await user.click(screen.getByRole('button', { name: 'Show Load as table' }))
  expect(cells()[0]).toEqual(['at', 'writes'])
  await user.click(screen.getByRole('button', { name: 'Show Load as chart' }))
  await user.click(entry('reads'))
  expect(staged.last?.view.hidden).toEqual([])
  await user.keyboard('{Shift>}')
  await user.click(entry('reads'))
  expect(staged.last?.view.hidden).toEqual(['writes'])
  await user.click(entry('reads'))
  expect(staged.last?.view.hidden).toEqual([])
})

test('the arrow keys move the cursor; its values are beside it and spoken, and a gap is called one', async () => {
  const { container, user } = open()
  cursor().focus()
  expect([cursorText(), tip(container)]).toEqual(['newest', undefined])
  await user.keyboard('{ArrowLeft}')
  expect([cursorText(), tip(container)]).toEqual(['30 s', '30 sreads4writes–'])
  expect(cursor().querySelector('[role=status]')?.textContent).toBe('reads 4, writes –')
  await user.keyboard('{ArrowLeft}')
  expect([tip(container), cursor().querySelector('[role=status]')?.textContent]).toEqual(['20 s · no data', 'no data'])
  await user.keyboard('{Home}')
  expect(cursorText()).toBe('0 s')
  await user.keyboard('{Alt>}{ArrowRight}{/Alt}')
  expect(cursorText()).toBe('40 s')
  await user.keyboard('{Escape}')
  expect([cursorText(), tip(container)]).toEqual(['newest', undefined])
})

test('keys zoom, the zoom follows the cursor, and a button shows all', async () => {
  const { staged, user } = open()
  cursor().focus()
  await user.keyboard('{Home}+')
  expect(zoomOf(staged)).toEqual({ from: 0, to: 20 })
  await user.keyboard('{ArrowRight>3/}')
  expect(zoomOf(staged)).toEqual({ from: 10, to: 30 })
  await user.keyboard('-')
  expect(zoomOf(staged)).toBeUndefined()
  await user.keyboard('+')
  await user.click(screen.getByRole('button', { name: 'Reset zoom of Load' }))
  expect(zoomOf(staged)).toBeUndefined()
})

test('with Shift keys select, Enter zooms to the selection, 0 shows all', async () => {
  const { staged, container, user } = open()
  cursor().focus()
  await user.keyboard('{Shift>}{ArrowLeft>2/}{/Shift}')
  expect(container.querySelector('.brush')?.getAttribute('style')).toContain('left: 50%')
  await user.keyboard('{Enter}')
  expect([zoomOf(staged), container.querySelector('.brush')]).toEqual([{ from: 20, to: 40 }, null])
  await user.keyboard('0')
  expect(zoomOf(staged)).toBeUndefined()
})

test('a pointer shows values, zooms by a drag, and pans with Shift', () => {
  const { staged, container } = open()
  cursor().getBoundingClientRect = () => new DOMRect(0, 0, 600, 100)
  fireEvent.pointerMove(cursor(), { clientX: 440 })
  expect(tip(container)).toBe('30 sreads4writes–')
  fireEvent.pointerDown(cursor(), { clientX: 150 })
  fireEvent.pointerMove(cursor(), { clientX: 450, buttons: 1 })
  fireEvent.pointerUp(cursor(), { clientX: 450 })
  expect(zoomOf(staged)).toEqual({ from: 10, to: 30 })
  fireEvent.pointerDown(cursor(), { clientX: 300, shiftKey: true })
  fireEvent.pointerMove(cursor(), { clientX: 150, buttons: 1, shiftKey: true })
  fireEvent.pointerUp(cursor(), { clientX: 150, shiftKey: true })
  expect(zoomOf(staged)).toEqual({ from: 15, to: 35 })
  fireEvent.doubleClick(cursor())
  expect(zoomOf(staged)).toBeUndefined()
  fireEvent.pointerLeave(cursor())
  expect(tip(container)).toBeUndefined()
})

test('the wheel zooms with Ctrl and pans with Shift; alone it is for the page', () => {
  const { staged } = open()
  cursor().getBoundingClientRect = () => new DOMRect(0, 0, 600, 100)
  fireEvent.pointerMove(cursor(), { clientX: 300 })
  const wheel = (init: WheelEventInit): boolean => {
    const event = new WheelEvent('wheel', { ...init, cancelable: true, bubbles: true })
    // happy-dom leaves modifiers of a wheel out.
    for (const key of ['ctrlKey', 'shiftKey'] as const) Object.defineProperty(event, key, { value: init[key] === true })
    act(() => void cursor().dispatchEvent(event))
    return event.defaultPrevented
  }
  expect([wheel({ deltaY: -1 }), zoomOf(staged)]).toEqual([false, undefined])
  expect(wheel({ deltaY: -1, ctrlKey: true })).toBe(true)
  expect(zoomOf(staged)?.from).toBeCloseTo(4)
  wheel({ deltaY: 1, shiftKey: true })
  expect(zoomOf(staged)?.from).toBeCloseTo(7.2)
})

test('charts of a group share crosshair and zoom, and only one shows values', async () => {
  const staged = new Staged()
  const { container } = render(
    <ChartGroup>
      <ChartCard title="Load" spec={both} />
      <ChartCard title="Other" spec={specOf([reads(7, 8, 9, 10, 11)])} />
    </ChartGroup>,
    { wrapper: staged.around },
  )
  cursor().focus()
  await userEvent.setup().keyboard('{ArrowLeft}+')
  expect(container.querySelectorAll('.crosshair')).toHaveLength(2)
  expect(container.querySelectorAll('.tip')).toHaveLength(1)
  expect(cursor('Other').getAttribute('aria-valuetext')).toBe('30 s')
  expect(new Set(staged.drawings.slice(-2).map(({ view }) => view.zoom?.from))).toEqual(new Set([15]))
})

test('a chart is saved as PNG and as CSV, and a failure says why', async () => {
  const { staged, user } = open()
  const saved = vi.spyOn(files, 'saveFile').mockImplementation(() => undefined)
  const choose = async (name: string): Promise<void> => {
    await user.click(screen.getByRole('button', { name: 'More for Load' }))
    await user.click(await screen.findByRole('menuitem', { name }))
  }
  await choose('Save as PNG')
  expect([staged.saved, saved.mock.lastCall?.[0]]).toEqual([['Load'], 'Load.png'])
  await choose('Save as CSV')
  expect(saved.mock.lastCall?.[0]).toBe('Load.csv')
  expect(await saved.mock.lastCall?.[1].text()).toBe(
    'at,reads,writes\r\n0,1,10\r\n10,2,20\r\n20,,\r\n30,4,\r\n40,5,50\r\n',
  )
  staged.failure = new Error('the image is too large')
  await choose('Save as PNG')
  expect((await screen.findByRole('alert')).textContent).toContain('the image is too large')
  saved.mockRestore()
})

test('Escape closes the menu and gives the focus back', async () => {
  const { user } = open()
  const button = screen.getByRole('button', { name: 'More for Load' })
  await user.click(button)
  await user.keyboard('{ArrowDown}{Escape}')
  await waitFor(() =>
    expect([screen.queryByRole('menuitem', { name: 'Save as CSV' }), document.activeElement]).toEqual([null, button]),
  )
})

test('an address brings back what is hidden, the zoom and the table', () => {
  location.hash = '#load.hide=reads&load.zoom=10..30&load.table=1'
  open()
  expect(cells()).toEqual([
    ['at', 'writes'],
    ['10 s', '20'],
    ['20 s', '–'],
    ['30 s', '–'],
  ])
})

test('an address that cannot be read shows the chart as it is at first', () => {
  location.hash = '#load.hide=%25E0&load.zoom=9..1'
  const { staged } = open()
  expect(staged.last?.view).toEqual({ hidden: [], zoom: undefined })
})

test('what is hidden and zoomed comes into the address by itself, without a new entry in the history', async () => {
  const { user } = open()
  const before = history.length
  await user.click(screen.getByRole('button', { name: 'reads' }))
  cursor().focus()
  await user.keyboard('{Home}{+}')
  await waitFor(() => expect(location.hash).toBe('#load.hide=reads&load.zoom=0..20'))
  await user.keyboard('0')
  await user.click(screen.getByRole('button', { name: 'reads' }))
  await waitFor(() => expect(location.hash).toBe(''))
  expect(history.length).toBe(before)
})

test('charts with one crosshair keep one zoom, and a selection only if the page uses it', async () => {
  const link = new ChartLink(true)
  const shown = (
    <ChartGroup link={link}>
      <ChartCard title="First" spec={both} />
      <ChartCard title="Second" spec={both} />
    </ChartGroup>
  )
  render(shown, { wrapper: new Staged().around })
  act(() => {
    link.select({ from: 10, to: 30 })
    link.zoomTo({ from: 0, to: 30 })
  })
  await waitFor(() => expect(location.hash).toBe('#first.select=10..30&first.zoom=0..30'))
  cleanup()
  const again = new ChartLink(true)
  render(<ChartGroup link={again}>{shown.props.children}</ChartGroup>, { wrapper: new Staged().around })
  expect(again.state).toEqual({ selection: { from: 10, to: 30 }, zoom: { from: 0, to: 30 } })
  cleanup()
  const zooms = new ChartLink()
  render(<ChartGroup link={zooms}>{shown.props.children}</ChartGroup>, { wrapper: new Staged().around })
  expect(zooms.state).toEqual({ selection: undefined, zoom: { from: 0, to: 30 } })
})

test('new data draws, and renders no card', () => {
  const staged = new Staged()
  const listeners = new Set<() => void>()
  let spec = both
  const source = {
    read: () => spec,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const rendered = vi.fn<() => void>()
  render(
    <Profiler id="card" onRender={rendered}>
      <ChartCard title="Load" spec={source} />
    </Profiler>,
    { wrapper: staged.around },
  )
  rendered.mockClear()
  spec = specOf([reads(9, 9, 9, 9, 9), writes(1, 1, 1, 1, 1)])
  act(() => {
    for (const listener of listeners) listener()
  })
  expect(staged.last?.spec).toBe(spec)
  expect(screen.getByRole('img', { name: 'Load; newest: reads: 9, writes: 1' })).toBeTruthy()
  expect(rendered).not.toHaveBeenCalled()
})

test('what changes out of view is drawn when it comes into view, and a chart that goes closes its canvas', () => {
  const { staged, show, unmount } = open(both, new Staged(undefined, false))
  const next = specOf([reads(5, 4, 3, 2, 1)])
  const before = staged.drawings.length
  show(next)
  expect([staged.drawings.length, staged.last?.spec]).toEqual([before, both])
  act(() => staged.show(true))
  expect(staged.last?.spec).toBe(next)
  expect(staged.open).toBe(1)
  unmount()
  expect(staged.open).toBe(0)
})

test('a source is not read for a chart out of view, which catches up when it comes into view', () => {
  const staged = new Staged(undefined, false)
  let spec = specOf([reads(1, 2)])
  const read = vi.fn<() => ChartSpec>(() => spec)
  const subscribed = new Set<() => void>()
  const source: ChartSource = {
    read,
    subscribe: (listener) => {
      subscribed.add(listener)
      return () => subscribed.delete(listener)
    },
  }
  render(<ChartCard title="Load" spec={source} />, { wrapper: staged.around })
  const tell = (): void => act(() => subscribed.forEach((listener) => listener()))
  const label = (): string | null => screen.getByRole('img', { name: /^Load/ }).getAttribute('aria-label')
  expect(label()).toBe('Load; newest: reads: 2')
  spec = specOf([reads(3, 4)])
  read.mockClear()
  tell()
  expect([read.mock.calls.length, label()]).toEqual([0, 'Load; newest: reads: 2'])
  act(() => staged.show(true))
  expect([label(), staged.last?.spec]).toEqual(['Load; newest: reads: 4', spec])
  spec = specOf([reads(5)])
  tell()
  expect([label(), staged.last?.spec]).toEqual(['Load; newest: reads: 5', spec])
})
