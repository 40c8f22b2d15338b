import { fireEvent, screen, waitFor } from '@testing-library/react'
import { useMemo, useState } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { ChartGroup } from '../../src/charts/card/ChartGroup'
import { ChartLink, useLinked } from '../../src/charts/card/link'
import { cellAt, cellsAt, heatYAt } from '../../src/charts/spec/heat-cells'
import { LiveFeed } from '../../src/live/feed'
import { LiveView } from '../../src/live/view'
import { heatSpec } from '../../src/pages/live/heat-spec'
import { HeatPane } from '../../src/pages/live/HeatPane'
import { SlowMoment } from '../../src/pages/live/SlowMoment'
import { Gateway } from '../forms/gateway'
import { show } from '../forms/page'
import { frameOf, seriesOf } from '../frames'
import { Staged } from './stage'

const START = Date.parse('2026-11-26T12:00:00Z')
const at = (second: number): number => START + second * 1000
const FAST_NS = 10_000
const SLOW_NS = 200e6
const BEYOND_NS = 120e9

/** A minute of fast reads. Each tenth second has a slow one too, and second 50 one beyond the axis. */
function feedOf(): LiveFeed {
  const feed = new LiveFeed(60_000, 1000)
  for (let second = 0; second < 60; second++) {
    const durations = [...Array.from({ length: 20 }, () => FAST_NS), ...(second % 10 === 0 ? [SLOW_NS] : [])]
    const beyond = second === 50 ? { count: 22, overflow: 1, maxNs: BEYOND_NS } : {}
    feed.buffer.add(frameOf(at(second + 1), [seriesOf(durations, beyond)]))
  }
  feed.endMs = at(60)
  feed.loaded = true
  return feed
}

const slow = {
  id: 1,
  op: 'get',
  outcome: 'ok',
  namespace: 'shop',
  set: 'users',
  startedAt: '2026-11-26T12:00:40Z',
  durationMs: 230,
  engineMs: 200,
  split: { queueMs: 200, indexMs: 0, deviceMs: 0, decodeMs: 0, replyMs: 0 },
  threads: 1,
}

function Live({ side }: { side: 'engine' | 'gateway' }) {
  const view = useMemo(() => new LiveView(feedOf(), { side: 'engine' }), [])
  const [link] = useState(() => new ChartLink(true))
  const { selection, cell } = useLinked(link, (state) => state)
  return (
    <ChartGroup link={link}>
      <HeatPane view={view} label="" absolute={false} onAbsolute={() => undefined} />
      <SlowMoment link={link} namespace="shop" op="get" side={side} />
      <output>
        {selection === undefined ? 'nothing' : `second ${(selection.from - START) / 1000}`}
        {cell !== undefined && cell.from <= SLOW_NS && SLOW_NS < cell.to && ', slow cell'}
        {cell !== undefined && cell.from <= FAST_NS && FAST_NS < cell.to && ', fast cell'}
        {cell !== undefined && cell.to === Infinity && ', beyond'}
      </output>
    </ChartGroup>
  )
}

beforeEach(() => {
  location.hash = ''
})

async function open(side: 'engine' | 'gateway' = 'engine') {
  const gateway = new Gateway({ 'GET /api/v1/slow': { items: [slow], limit: 1000, truncated: false } })
  const staged = new Staged({ width: 674, height: 320 })
  const page = await show(() => <Live side={side} />, '/live', '/live', staged.around)
  const cursor = await screen.findByRole('slider', { name: /^Cursor of Latency/ })
  cursor.getBoundingClientRect = () => new DOMRect(0, 0, 600, HEIGHT)
  return { ...page, gateway, cursor }
}

const HEIGHT = 290
const chosen = (): string | null => screen.getByText(/^(nothing|second)/).textContent
const asked = (gateway: Gateway) =>
  gateway.sent.filter(({ line }) => line === 'GET /api/v1/slow').map(({ query }) => Object.fromEntries(query))

test('the cells of a column are those with a count, from below the axis to above it', () => {
  const spec = heatSpec(new LiveView(feedOf(), { side: 'engine' }), false)
  expect(cellsAt(spec, at(41))).toHaveLength(1)
  expect(cellsAt(spec, at(50)).at(-1)?.to).toBe(Infinity)
  expect(cellAt(spec, at(41), SLOW_NS)).toBeUndefined()
  expect(cellAt(spec, at(50), Infinity)?.to).toBe(Infinity)
  expect([heatYAt(spec, 0, HEIGHT), heatYAt(spec, HEIGHT, HEIGHT)]).toEqual([Infinity, 0])
  expect(heatYAt({ ...spec, heat: undefined }, 5, HEIGHT)).toBeUndefined()
})

test('a click on a cell asks for the slow operations of its moment and its latency, and can be widened', async () => {
  const { user, gateway, cursor } = await open()
  const spec = heatSpec(new LiveView(feedOf(), { side: 'engine' }), false)
  const place = Array.from({ length: HEIGHT }, (_, top) => top).find((top) => {
    const y = heatYAt(spec, top, HEIGHT) ?? 0
    return cellAt(spec, at(40), y)?.to !== Infinity && y > 1e6 && cellAt(spec, at(40), y) !== undefined
  })
  const point = { clientX: 405, clientY: place ?? 0 }
  fireEvent.pointerDown(cursor, point)
  fireEvent.pointerUp(cursor, point)
  expect(chosen()).toBe('second 40, slow cell')
  await screen.findByText('200 ms')
  const [{ minEngineMs, belowEngineMs, since, op }] = asked(gateway) as [Record<string, string>]
  expect(Number(minEngineMs)).toBeLessThanOrEqual(200)
  expect(Number(belowEngineMs)).toBeGreaterThan(200)
  expect([since, op]).toEqual(['2026-11-26T12:00:40.000Z', 'get'])
  await waitFor(() => expect(location.hash).toMatch(/latency\.cell=\d+\.\.\d+/))

  await user.click(screen.getByRole('button', { name: 'All latencies' }))
  expect(chosen()).toBe('second 40')
  await waitFor(() => expect(asked(gateway).at(-1)).not.toHaveProperty('minEngineMs'))
  await waitFor(() => expect(location.hash).not.toContain('cell'))
})

test('a click where nothing was counted selects the column', async () => {
  const { cursor } = await open()
  const point = { clientX: 415, clientY: 100 }
  fireEvent.pointerDown(cursor, point)
  fireEvent.pointerUp(cursor, point)
  expect(chosen()).toBe('second 41')
})

test('up and down move between the cells of a column, and Enter selects one', async () => {
  const { user, cursor } = await open()
  cursor.focus()
  await user.keyboard('{ArrowLeft>9/}{ArrowUp}{Enter}')
  expect(chosen()).toBe('second 50, fast cell')
  await user.keyboard('{Escape}{ArrowLeft>9/}{ArrowUp}{ArrowUp}{Enter}')
  expect(chosen()).toBe('second 50, slow cell')
  await user.keyboard('{Escape}{ArrowLeft>9/}{ArrowDown}')
  expect(document.querySelector('.tip')?.textContent).toMatch(/above .*: 1 \(/)
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowUp}{Enter}')
  expect(chosen()).toBe('second 50, slow cell')
})

test('Enter goes from one cell to the next, and zooms at the one that is selected', async () => {
  const { user, cursor } = await open()
  cursor.focus()
  await user.keyboard('{ArrowLeft>9/}{Enter}')
  expect(chosen()).toBe('second 50')
  await user.keyboard('{ArrowUp}{Enter}')
  expect(chosen()).toBe('second 50, fast cell')
  await user.keyboard('{ArrowUp}{Enter}')
  expect(chosen()).toBe('second 50, slow cell')
  await user.keyboard('{ArrowLeft}{ArrowLeft}{Enter}')
  expect(chosen()).toMatch(/^second 48/)
  expect(screen.queryByRole('button', { name: 'Reset zoom of Latency' })).toBeNull()
  await user.keyboard('{Enter}')
  await screen.findByRole('button', { name: 'Reset zoom of Latency' })
})

test('a cell that the address has is selected, and the gateway shows the whole moment', async () => {
  location.hash = `latency.select=${at(40)}..${at(41)}&latency.cell=190000000..210000000`
  const { gateway } = await open('gateway')
  expect(chosen()).toBe('second 40, slow cell')
  await screen.findByText(/measured in the engine/)
  await waitFor(() => expect(asked(gateway)).toHaveLength(1))
  expect(asked(gateway)[0]).not.toHaveProperty('minEngineMs')
})
