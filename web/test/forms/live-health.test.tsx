import { act, screen, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { useReadsAfterLoss } from '../../src/components/use-reads-after-loss'
import { useStatusPart } from '../../src/components/use-status'
import { connection } from '../../src/live/connection'
import { OverviewPage } from '../../src/pages/overview/OverviewPage'
import { Streamed } from '../../src/components/Streamed'
import { AlertsBell } from '../../src/shell/bar/AlertsBell'
import { ConnectionChip } from '../../src/shell/bar/ConnectionChip'
import { StaleBanner } from '../../src/shell/StaleBanner'
import { Gateway } from './gateway'
import { show } from './page'

// The live stream tells what every page shows, so that nothing is asked again and again while it is open.

const ALERTS = 'GET /api/v1/alerts'
const STATUS = 'GET /api/v1/status'

/** The stream of the console, until the test ends. */
function takeStream() {
  const streams: EventTarget[] = []
  const Stream = class extends EventTarget {
    constructor() {
      super()
      streams.push(this)
    }
    close(): void {
      return undefined
    }
  }
  vi.stubGlobal('EventSource', Stream)
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => {
    connection.stop()
    vi.useRealTimers()
  })
  connection.start()
  const tell = (reasons: string[]): void => {
    const health = { tone: reasons.length === 0 ? 'good' : 'bad', text: reasons.join('; '), reasons }
    const data = JSON.stringify({ seq: 1, time: '2026-11-26T12:00:00Z', durationMs: 1000, jobs: [], health })
    act(() => void streams.at(-1)?.dispatchEvent(new MessageEvent('frame', { data })))
  }
  const lose = (): void => act(() => void streams.at(-1)?.dispatchEvent(new Event('error')))
  return { tell, lose }
}

const pass = (seconds: number): Promise<void> =>
  act(async () => void (await vi.advanceTimersByTimeAsync(seconds * 1000)))
const bell = (name: string): HTMLElement => screen.getByRole('button', { name: `Alerts: ${name}` })

test('the bell shows what the stream tells, and reads the list only while it shows it', async () => {
  const gateway = new Gateway()
  const { tell } = takeStream()
  const asked = (): number => gateway.sent.filter(({ line }) => line === ALERTS).length
  tell([])
  const { user } = await show(AlertsBell)
  expect(bell('none')).toBeTruthy()
  for (let second = 0; second < 20; second++) {
    await pass(1)
    tell(['the disk is full', 'writes are slow'])
  }
  expect([bell('2 problems').textContent, asked()]).toEqual(['2', 0])
  await user.click(bell('2 problems'))
  await within(screen.getByRole('dialog')).findByText('No alert is firing, and all targets are met.')
  expect(asked()).toBeGreaterThan(0)
})

test('without the stream the bell and the status are read, and the status again when it is back', async () => {
  const gateway = new Gateway()
  const { tell, lose } = takeStream()
  const asked = (which: string): number => gateway.sent.filter(({ line }) => line === which).length
  tell(['the disk is full'])
  await show(function Bar() {
    useReadsAfterLoss()
    return (
      <>
        {useStatusPart(({ environment }) => environment)}
        <AlertsBell />
      </>
    )
  })
  expect(await screen.findByText('development')).toBeTruthy()
  for (let second = 0; second < 20; second++) {
    await pass(1)
    tell(['the disk is full'])
  }
  expect([asked(STATUS), asked(ALERTS)]).toEqual([1, 0])
  lose()
  await pass(0.1)
  expect(asked(ALERTS)).toBe(1)
  expect(bell('none')).toBeTruthy()
  gateway.answers[STATUS] = { environment: 'production' }
  await pass(0.5)
  tell([])
  await pass(0.1)
  expect(screen.getByText('production')).toBeTruthy()
  expect(asked(STATUS)).toBe(2)
})

test('on the Overview everything but the first steps is dimmed while the stream is lost', async () => {
  const memory = { primaryIndex: 1, setIndexes: 2, documentIndexes: 3, records: 4, buffers: 5, directory: 6, total: 21 }
  const io = { backend: 'io_uring', reason: 'the kernel allows it' }
  const gateway = { loopDelay: { p50Ms: 0, p99Ms: 1, maxMs: 1 } }
  const served = new Gateway({
    [STATUS]: {
      cpus: 8,
      environment: 'development',
      version: '0.1.0',
      memory,
      io,
      gateway,
      reasons: [],
      notices: [],
      gatewayNotices: [],
    },
    'GET /api/v1/namespaces': {
      items: [{ name: 'shop', records: 12, state: 'ready', memory, capabilities: { counts: 'exact', missing: [] } }],
    },
    'GET /api/v1/namespaces/shop/sets': { items: [] },
    'GET /api/v1/metrics/history': { items: [], stepSeconds: 5 },
  })
  const { tell, lose } = takeStream()
  tell([])
  const dimmed = (): string[] =>
    screen
      .getAllByRole('heading', { level: 2 })
      .filter((title) => title.closest('.stale') !== null)
      .map((title) => title.textContent)
  await show(OverviewPage, '/')
  await screen.findByRole('region', { name: 'Memory' })
  expect(served.sent.map(({ line }) => line)).toContain(STATUS)
  expect(dimmed()).toEqual([])
  lose()
  await pass(0.1)
  expect(dimmed()).toEqual(['Memory', 'Running jobs', 'Disk', 'Top namespaces', 'Recent events'])
})

test('figures are marked as old two seconds after the last frame, until the next one', async () => {
  const Page = () => (
    <>
      <StaleBanner />
      <ConnectionChip />
      <Streamed>
        <p>figures</p>
      </Streamed>
    </>
  )
  const { tell } = takeStream()
  await show(Page)
  const marks = (): unknown[] => [
    screen.queryByRole('status')?.textContent.includes('No live figures since') ?? false,
    screen.getByText('figures').closest('.stale') !== null,
    document.querySelector('[aria-description^="Age of the newest frame"]')?.className.split(' ').at(-1),
  ]
  // Nothing has come yet, so nothing is old.
  await pass(4)
  expect(marks().slice(0, 2)).toEqual([false, false])
  tell([])
  expect(marks()).toEqual([false, false, 'good'])
  await pass(2)
  expect(marks()).toEqual([true, true, 'warn'])
  tell([])
  expect(marks()).toEqual([false, false, 'good'])
})
