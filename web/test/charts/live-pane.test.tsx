import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useMemo, useState } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { ChartGroup } from '../../src/charts/card/ChartGroup'
import { ChartLink, useLinked } from '../../src/charts/card/link'
import { clock } from '../../src/format'
import { LiveFeed } from '../../src/live/feed'
import { eventLog } from '../../src/live/event-log'
import type { Frame, Mark } from '../../src/live/frame'
import { LiveView } from '../../src/live/view'
import { chipPx } from '../../src/charts/events/chip-width'
import { eventGroups } from '../../src/charts/events/event-groups'
import { heatSpec } from '../../src/pages/live/heat-spec'
import { LoadPane } from '../../src/pages/live/LoadPane'
import { frameOf, seriesOf } from '../frames'
import { Staged } from './stage'

const START = Date.parse('2026-11-26T12:00:00Z')
const at = (second: number): number => START + second * 1000
const clockAt = (second: number): string => clock(at(second))
const mark = (second: number, text: string): Mark => ({ timeMs: at(second), kind: 'job', text })

/** The frame of one second: as many reads as its number. */
const frame = (second: number, marks: Mark[] = []): Frame =>
  frameOf(at(second + 1), [seriesOf(Array.from({ length: second }, () => 1000))], { marks })

beforeEach(() => {
  eventLog.forget()
  eventLog.hide([])
})

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
  const [link] = useState(() => new ChartLink(true))
  const selection = useLinked(link, (state) => state.selection)
  return (
    <ChartGroup link={link}>
      <LoadPane view={view} />
      <output>{selection === undefined ? 'none' : `${clock(selection.from)} to ${clock(selection.to)}`}</output>
    </ChartGroup>
  )
}

function open(feed = feedOf()) {
  const staged = new Staged({ width: 674, height: 150 })
  const { container } = render(<Load feed={feed} />, { wrapper: staged.around })
  return { feed, staged, container, user: userEvent.setup() }
}

const picture = (): string | null => screen.getByRole('img').getAttribute('aria-label')
const cursor = (): HTMLElement => screen.getByRole('slider', { name: /^Cursor of Load/ })
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
  expect(picture()).toBe('Operations per second; newest: 58/s; 1 event in this window')
  arrive(feed, frame(60, [mark(60, 'import')]))
  await waitFor(() => expect(picture()).toBe('Operations per second; newest: 59/s; 2 events in this window'))
})

test('draws the seconds that it has, nothing into the gap, and each new second', async () => {
  const { feed, staged } = open()
  const ok = () => staged.last?.spec.series[0]?.values
  expect(ok()?.slice(29, 32)).toEqual([29, null, 31])
  arrive(feed, frame(60))
  await waitFor(() => expect(ok()?.at(-1)).toBe(60))
})

test('as a table it has the newest second first, and says where nothing arrived', async () => {
  const { feed, user } = open()
  await user.click(screen.getByRole('button', { name: 'Show Load as table' }))
  expect(screen.getByRole('table', { name: /^Operations per second/ })).toBeTruthy()
  expect([rows().length, rows()[0], rows()[29]]).toEqual([60, [clockAt(59), '59/s', '0/s'], [clockAt(30), '–', '–']])
  arrive(feed, frame(60))
  await waitFor(() => expect(rows()[0]).toEqual([clockAt(60), '60/s', '0/s']))
  expect(rows()).toHaveLength(60)
})

test('the arrow keys move the cursor by a second, with Alt by ten, and not beyond the window', async () => {
  const { user } = open()
  cursor().focus()
  expect(cursorText()).toBe('newest')
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
  expect(tip()).toBe(`${clockAt(30)} · no data`)
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

test('Enter selects the second under the cursor', async () => {
  const { user } = open()
  cursor().focus()
  await user.keyboard('{ArrowLeft>9/}{Enter}')
  expect(selected()).toBe(`${clockAt(50)} to ${clockAt(51)}`)
})

test('Escape clears a selection, and the next one begins anew', async () => {
  const { user } = open()
  cursor().focus()
  await user.keyboard('{ArrowLeft>10/}{Shift>}{ArrowLeft}{/Shift}{Escape}')
  expect(selected()).toBe('none')
  await user.keyboard('{Shift>}{ArrowLeft}{/Shift}')
  expect(selected()).toBe(`${clockAt(58)} to ${clockAt(60)}`)
})

test('a pointer selects by dragging or a click, and the next click clears', () => {
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
  fireEvent.pointerDown(cursor(), { clientX: 305 })
  fireEvent.pointerUp(cursor(), { clientX: 305 })
  expect(selected()).toBe(`${clockAt(30)} to ${clockAt(31)}`)
  fireEvent.pointerLeave(cursor())
  expect(cursorText()).toBe('newest')
})

test('events have a line each and chips below, near ones share a chip, and kinds are switched off', async () => {
  const flush = { ...mark(50, 'flush'), kind: 'checkpoint' }
  const { staged, container, user } = open(
    feedOf([mark(6, 'scan started'), mark(9, 'scan done'), mark(30.5, 'lost'), mark(31, 'import'), flush]),
  )
  const chips = (): (string | null)[] => [...container.querySelectorAll('.chip')].map(({ textContent }) => textContent)
  expect(staged.last?.spec.marks?.map(({ name }) => name)).toEqual(['scan started', 'scan done', 'import', 'flush'])
  expect(chips()).toEqual(['2 events, newest: scan done', 'import', 'flush'])
  await user.click(screen.getByRole('button', { name: 'checkpoint' }))
  expect(chips()).toEqual(['2 events, newest: scan done', 'import'])
  await user.click(screen.getByRole('button', { name: '2 events, newest: scan done' }))
  expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual([
    'Zoom in',
    `${clockAt(9)} scan done`,
    `${clockAt(6)} scan started`,
  ])
  await user.click(screen.getByRole('menuitem', { name: 'Zoom in' }))
  expect(staged.last?.view.zoom).toEqual({ from: at(4), to: at(11) })
})

test('groups hold events that are too near for two chips', () => {
  const marks = [0, 5, 40, 99].map((second) => ({ ...mark(second, `${second}`), timeMs: second }))
  const groups = eventGroups(
    marks,
    (time) => time / 90,
    () => 0.1,
  )
  expect(groups.map((group) => group.marks.map(({ text }) => text))).toEqual([['0', '5'], ['40']])
})

test('a chip without room at its right reaches to the left, and joins the one that it would cover', () => {
  const groupsAt = (...places: number[]): number[] =>
    eventGroups(
      places.map((place) => ({ ...mark(0, ''), timeMs: place })),
      (place) => place,
      () => 0.3,
    ).map(({ marks }) => marks.length)
  expect(groupsAt(0.1, 0.9)).toEqual([1, 1])
  expect(groupsAt(0.35, 0.9)).toEqual([2])
  expect(groupsAt(0.1, 0.45, 0.8, 1)).toEqual([1, 3])
})

test.each([1140, 700, 264, 120])('no two chips overlap on a lane of %s px, and none leaves it', (lane) => {
  const words = ['import of shop.users started', 'flush', 'namespace shop created', 'job done', 'x']
  for (let seed = 1; seed < 200; seed++) {
    const marks = Array.from({ length: 3 + (seed % 17) }, (_, n) => ({
      ...mark(0, words[(n * seed) % words.length] ?? ''),
      timeMs: ((n * 7919 * seed) % 1009) / 1008,
    }))
    const width = (newest: Mark, count: number): number => chipPx(newest, count, lane) / lane
    const groups = eventGroups(marks, (place) => place, width)
    expect(groups.flatMap((group) => group.marks)).toHaveLength(marks.length)
    groups.forEach(({ left, right }, index) => {
      expect(left).toBeGreaterThanOrEqual(groups[index - 1]?.right ?? 0)
      expect(right).toBeLessThanOrEqual(1)
    })
  }
})

test('the heatmap has a level for each cell, lines that are grey without enough samples, and n beside them', () => {
  const { heat, series, facts, y } = heatSpec(new LiveView(feedOf(), { side: 'engine' }), false)
  const rows = (heat?.edges.length ?? 0) + 1
  const column = (second: number) => [...(heat?.levels.slice(second * rows, (second + 1) * rows) ?? [])]
  expect([column(30).some((level) => level > 0), column(31).filter((level) => level > 0)]).toEqual([false, [255]])
  const p99 = series.find(({ id }) => id === 'p99')
  expect([p99?.values[30], p99?.thin?.[31], series[0]?.thin?.[31]]).toEqual([null, true, false])
  expect([facts?.[0]?.values[31], y.from, y.to]).toEqual([31, 100, 1e9])
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
