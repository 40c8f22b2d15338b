import { act, render, screen, waitFor, within } from '@testing-library/react'
import { Profiler, useMemo, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { ChartLink } from '../../src/charts/card/link'
import { EventLane } from '../../src/charts/events/EventLane'
import { LiveFeed } from '../../src/live/feed'
import type { Frame } from '../../src/live/frame'
import { LiveView } from '../../src/live/view'
import { liveSource, timeOf } from '../../src/pages/live/live-source'
import { NowTiles } from '../../src/pages/live/NowTiles'
import { SelectionTable } from '../../src/pages/live/SelectionTable'
import { frameOf, seriesOf } from '../frames'
import { Staged } from './stage'

const START = Date.parse('2026-11-26T12:00:00Z')
const at = (second: number): number => START + second * 1000

/** The frame of one second: as many reads of 1 µs as its number, the first one with an event. */
const frame = (second: number): Frame =>
  frameOf(at(second + 1), [seriesOf(Array.from({ length: second }, () => 1000))], {
    marks: second === 30 ? [{ timeMs: at(30), kind: 'job', text: 'scan' }] : [],
  })

function open() {
  const { around } = new Staged({ width: 674, height: 150 })
  const feed = new LiveFeed(60_000, 1000)
  for (let second = 0; second < 60; second++) feed.buffer.add(frame(second))
  feed.endMs = at(60)
  feed.loaded = true
  const rendered = vi.fn<() => void>()
  const link = new ChartLink(true)
  function Page() {
    const view = useMemo(() => new LiveView(feed, { side: 'engine' }), [])
    const source = useMemo(
      () => liveSource(view, (shown) => ({ x: timeOf(shown), y: { scale: 'linear', format: 'rate' }, series: [] })),
      [view],
    )
    const [words] = useState('1 min')
    return (
      <Profiler id="page" onRender={rendered}>
        <NowTiles feed={feed} namespace={undefined} side="engine" />
        <SelectionTable view={view} link={link} words={words} />
        <EventLane source={source} link={link} zoom={undefined} />
      </Profiler>
    )
  }
  const { container } = render(<Page />, { wrapper: around })
  /** The next second arrives. */
  const arrive = (second: number): void => {
    feed.pause(true)
    feed.buffer.add(frame(second))
    feed.pause(false)
  }
  return { container, rendered, link, arrive }
}

const line = (name: string): (string | null)[] =>
  within(screen.getByRole('table', { name: /^Figures of the selection/ }))
    .getAllByRole('cell')
    .filter((cell) => cell.parentElement?.firstElementChild?.textContent === name)
    .map(({ textContent }) => textContent)

const tile = (name: string): (string | null)[] =>
  [...(screen.getByText(name).parentElement?.children ?? [])].slice(1).map(({ textContent }) => textContent)

test('a frame changes tiles, selection and places of events, and renders none of them', async () => {
  const { container, rendered, arrive } = open()
  const place = (): number => {
    const { transform = '' } = container.querySelector<HTMLElement>('.lane .at')?.style ?? {}
    return Number(/^translateX\(([\d.]+)cqw\)$/.exec(transform)?.[1])
  }
  expect([tile('Operations'), line('n'), place()]).toEqual([['55/s', 'reads 55/s · writes 0/s'], ['1,770', ''], 50])
  rendered.mockClear()
  arrive(60)
  await waitFor(() => expect(line('n')[0]).toBe('1,830'))
  expect(tile('Operations')[0]).toBe('56/s')
  expect(place()).toBeCloseTo((29 / 60) * 100)
  expect(rendered).not.toHaveBeenCalled()
})

test('the table follows the selection, and says which figures have too few samples', () => {
  const { container, link } = open()
  const thin = (): (string | null | undefined)[] =>
    [...container.querySelectorAll('tr.thin')].map((row) => row.firstElementChild?.textContent)
  expect(thin()).toEqual(['p99.9', 'p99.99'])
  act(() => link.select({ from: at(58), to: at(60) }))
  expect([line('n'), thin()]).toEqual([
    ['117', '+4%'],
    ['p95', 'p99', 'p99.9', 'p99.99'],
  ])
})
