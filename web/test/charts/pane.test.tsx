import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useMemo } from 'react'
import { expect, test } from 'vitest'
import { useCursor } from '../../src/charts/pane/use-cursor'
import { clock } from '../../src/format'
import { LiveFeed } from '../../src/live/feed'
import type { Frame, Mark } from '../../src/live/frame'
import { LiveView } from '../../src/live/view'
import { LoadPane } from '../../src/pages/live/LoadPane'
import { frameOf, seriesOf } from '../frames'
import { Painted } from './canvas'

const START = Date.parse('2026-11-26T12:00:00Z')
const at = (second: number): number => START + second * 1000
const clockAt = (second: number): string => clock(at(second))
const mark = (second: number, text: string): Mark => ({ timeMs: at(second), kind: 'job', text })

/** The frame of one second: as many reads as its number. */
const frame = (second: number, marks: Mark[] = []): Frame =>
  frameOf(at(second + 1), [seriesOf(Array.from({ length: second }, () => 1000))], { marks })

/** A minute without its second 30. */
function feedOf(marks: Mark[] = []): LiveFeed {
  const feed = new LiveFeed(60_000, 1000)
  for (let second = 0; second < 60; second++)
    if (second !== 30)
      feed.buffer.add(
        frame(
          second,
          marks.filter(({ timeMs }) => timeMs === at(second)),
        ),
      )
  feed.endMs = at(60)
  feed.loaded = true
  return feed
}

/** The next second arrives. */
function arrive(feed: LiveFeed, next: Frame): void {
  feed.pause(true)
  feed.buffer.add(next)
  feed.pause(false)
}

function Load({ feed }: { feed: LiveFeed }) {
  const view = useMemo(() => new LiveView(feed, { side: 'engine' }), [feed])
  const cursor = useCursor()
  const { selection } = cursor
  return (
    <>
      <LoadPane view={view} cursor={cursor} />
      <output>{selection === undefined ? 'none' : `${clock(selection.from)} to ${clock(selection.to)}`}</output>
    </>
  )
}

function open(feed = feedOf()) {
  const painted = new Painted({ width: 672, height: 132 })
  const { container } = render(<Load feed={feed} />)
  return { feed, painted, container, user: userEvent.setup() }
}

const picture = (): string | null => screen.getByRole('img').getAttribute('aria-label')
const cursor = (): HTMLElement => screen.getByRole('slider', { name: /^Time cursor/ })
const cursorText = (): string | null => cursor().getAttribute('aria-valuetext')
const selected = (): string | null => screen.getByText(/^none$|:\d\d to /).textContent
const rows = (): (string | null)[][] =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].map(({ textContent }) => textContent))

test('waits for its history before it draws', async () => {
  const feed = feedOf()
  feed.loaded = false
  open(feed)
  expect(screen.getByRole('status', { name: 'Loading' })).toBeTruthy()
  expect(screen.queryByRole('img')).toBeNull()
  feed.loaded = true
  arrive(feed, frame(60))
  await waitFor(() => expect(screen.queryByRole('status', { name: 'Loading' })).toBeNull())
  expect(picture()).toContain('newest: 59/s')
})

test('says in words what it shows, also of what comes', async () => {
  const { feed } = open(feedOf([mark(3, 'scan')]))
  expect(picture()).toBe('Operations per second; newest: 58/s; 1 events in this window')
  arrive(feed, frame(60, [mark(60, 'import')]))
  await waitFor(() => expect(picture()).toBe('Operations per second; newest: 59/s; 2 events in this window'))
})

test('paints the seconds that it has, and no line into the gap', () => {
  const { painted } = open()
  const seconds = painted.has('fill-accent', 60)
  expect([seconds[29], seconds[30], seconds[31]]).toEqual([true, false, true])
})

test('as a table it has the newest second first, and says where nothing arrived', async () => {
  const { feed, user } = open()
  await user.click(screen.getByRole('button', { name: 'Show Load as table' }))
  expect(screen.getByRole('table', { name: /^Operations per second/ })).toBeTruthy()
  expect([rows().length, rows()[0], rows()[29]]).toEqual([
    60,
    [clockAt(59), '59/s', '0/s'],
    [clockAt(30), 'no data', ''],
  ])
  arrive(feed, frame(60))
  await waitFor(() => expect(rows()[0]).toEqual([clockAt(60), '60/s', '0/s']))
  expect(rows()).toHaveLength(60)
})

test('the arrow keys move the cursor by a second, with Alt by ten, and not beyond the window', async () => {
  const { user } = open()
  await user.tab()
  await user.tab()
  expect([document.activeElement, cursorText()]).toEqual([cursor(), 'newest'])
  await user.keyboard('{ArrowLeft}')
  expect(cursorText()).toBe(clockAt(58))
  await user.keyboard('{Alt>}{ArrowLeft}{/Alt}')
  expect(cursorText()).toBe(clockAt(48))
  await user.keyboard('{Alt>}{ArrowRight}{ArrowRight}{/Alt}')
  expect(cursorText()).toBe(clockAt(59))
  await user.keyboard('{Alt>}{ArrowLeft>7/}{/Alt}')
  expect([cursorText(), cursor().getAttribute('aria-valuenow')]).toEqual([clockAt(0), '1'])
  await user.keyboard('{Escape}')
  expect(cursorText()).toBe('newest')
})

test('the values under the cursor stand beside it, and a gap is called one', async () => {
  const { container, user } = open()
  const tip = (): string | undefined => container.querySelector('.tip')?.textContent
  cursor().focus()
  expect(tip()).toBeUndefined()
  await user.keyboard('{ArrowLeft}')
  expect(tip()).toBe(`${clockAt(58)}ok58/serrors0/s`)
  await user.keyboard('{ArrowLeft>28/}')
  expect(tip()).toBe(`${clockAt(30)}okno dataerrors`)
})

test('with Shift they select whole seconds, from where the selection began', async () => {
  const { user } = open()
  cursor().focus()
  await user.keyboard('{Shift>}{ArrowLeft}{ArrowLeft}{/Shift}')
  expect(selected()).toBe(`${clockAt(57)} to ${clockAt(60)}`)
  await user.keyboard('{Shift>}{ArrowRight}{/Shift}')
  expect(selected()).toBe(`${clockAt(58)} to ${clockAt(60)}`)
  await user.keyboard('{ArrowLeft>8/}{Shift>}{ArrowRight}{/Shift}')
  expect(selected()).toBe(`${clockAt(50)} to ${clockAt(52)}`)
})

test('Escape clears a selection, and the next one begins anew', async () => {
  const { user } = open()
  cursor().focus()
  await user.keyboard('{ArrowLeft>10/}{Shift>}{ArrowLeft}{/Shift}{Escape}')
  expect(selected()).toBe('none')
  await user.keyboard('{Shift>}{ArrowLeft}{/Shift}')
  expect(selected()).toBe(`${clockAt(58)} to ${clockAt(60)}`)
})

test('a pointer selects by dragging, and a click clears', () => {
  const { container } = open()
  cursor().getBoundingClientRect = () => new DOMRect(0, 0, 600, 100)
  fireEvent.pointerDown(cursor(), { clientX: 105 })
  fireEvent.pointerMove(cursor(), { clientX: 205, buttons: 1 })
  fireEvent.pointerUp(cursor(), { clientX: 205 })
  expect(selected()).toBe(`${clockAt(10)} to ${clockAt(21)}`)
  expect(container.querySelector('.brush')?.getAttribute('style')).toContain('width: 18.3')
  // It only points.
  fireEvent.pointerMove(cursor(), { clientX: 405 })
  expect([cursorText(), selected()]).toEqual([clockAt(40), `${clockAt(10)} to ${clockAt(21)}`])
  fireEvent.pointerDown(cursor(), { clientX: 405 })
  fireEvent.pointerUp(cursor(), { clientX: 405 })
  expect(selected()).toBe('none')
  fireEvent.pointerLeave(cursor())
  expect(cursorText()).toBe('newest')
})

test('events have a line each, and words where there is room for them', () => {
  const { container } = open(
    feedOf([mark(6, 'scan started'), mark(9, 'scan done'), mark(40, 'import'), mark(57, 'flush')]),
  )
  const marks = [...container.querySelectorAll('.mark')]
  expect(marks.map(({ textContent }) => textContent)).toEqual(['scan started', '', 'import', 'flush'])
  expect(marks.map(({ className }) => className.includes('end'))).toEqual([false, false, false, true])
})

test('a selection that the window has left is not drawn', async () => {
  const { feed, container, user } = open()
  cursor().focus()
  await user.keyboard('{Alt>}{ArrowLeft>5/}{/Alt}{ArrowLeft>9/}{Shift>}{ArrowLeft}{/Shift}')
  expect(container.querySelector('.brush')).not.toBeNull()
  for (let second = 60; second < 70; second++) feed.buffer.add(frame(second))
  act(() => arrive(feed, frame(70)))
  await waitFor(() => expect(container.querySelector('.brush')).toBeNull())
})
