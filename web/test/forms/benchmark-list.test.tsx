import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { BenchmarksPage } from '../../src/pages/benchmarks/BenchmarksPage'
import { Gateway } from './gateway'
import { show } from './page'

const spec = { namespace: 'shop', set: 'bench', workload: 'RU,95', object: 'B:1000', threads: 16 }
const reads = (p99Ms: number) => ({ count: 100, p99Ms, under1msPct: 97.5 })
const none = { count: 0, p99Ms: 0, under1msPct: 0 }
const run = { id: 'now', spec, state: 'running', createdAt: '2026-11-26T12:00:00Z' }
const done = {
  ...run,
  id: 'then',
  state: 'done',
  endedAt: '2026-11-26T11:00:00Z',
  result: { tps: 500, read: reads(1.28), write: none },
}
const frame = (tps: number, p99Ms: number) => ({ atSeconds: 1, seconds: 1, tps, read: reads(p99Ms), write: none })

/** Rate, p99 of reads and of writes, reads within 1 ms. */
const figuresOf = (row: number): (string | null)[] =>
  within(screen.getAllByRole('row')[row] as HTMLElement)
    .getAllByRole('cell')
    .slice(7, 11)
    .map(({ textContent }) => textContent)

test('a run that goes on has the figures of its last second, and one that ended those of all', async () => {
  let frames: object[] = []
  const gateway = new Gateway({
    'GET /api/v1/workloads': { items: [run, done], limit: 100, truncated: false },
    'GET /api/v1/workloads/now': () => Response.json({ ...run, frames }),
  })
  await show(BenchmarksPage, '/benchmarks')
  await waitFor(() => expect(figuresOf(2)).toEqual(['500/s', '1.28 ms', '–', '97.50%']))
  expect(figuresOf(1)).toEqual(['–', '–', '–', '–'])
  frames = [frame(100, 9), frame(300, 2.5)]
  await waitFor(() => expect(figuresOf(1)).toEqual(['300/s', '2.50 ms', '–', '97.50%']), { timeout: 5000 })
  expect(gateway.sent.map(({ line }) => line)).not.toContain('GET /api/v1/workloads/then')
})
