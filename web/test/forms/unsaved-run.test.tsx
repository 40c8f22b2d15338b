import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { BenchmarksPage } from '../../src/pages/benchmarks/BenchmarksPage'
import { RunPage } from '../../src/pages/benchmarks/RunPage'
import { Gateway } from './gateway'
import { show } from './page'

// A run whose end is not on disk says so, in the list and on its page, until it is.

const run = {
  id: 'w1',
  spec: { name: 'nightly', namespace: 'shop', workload: 'RU,95', threads: 2 },
  state: 'done',
  createdAt: '2026-11-26T15:35:29.174Z',
  endedAt: '2026-11-26T15:35:39.174Z',
}
const unsaved = { ...run, unsaved: 'no space left on device' }

test('the list marks it', async () => {
  const gateway = new Gateway({
    'GET /api/v1/workloads': { items: [unsaved, { ...run, id: 'w0' }], truncated: false, limit: 100 },
  })
  await show(BenchmarksPage, '/benchmarks')
  await screen.findAllByText('nightly')
  expect(screen.getAllByText('not saved')).toHaveLength(1)
  expect(gateway.sent.map(({ line }) => line)).toContain('GET /api/v1/workloads')
})

test.each([
  ['says why', unsaved, 1],
  ['says nothing of it once it is saved', run, 0],
])('its page %s', async (_, answered, notes) => {
  const gateway = new Gateway({ 'GET /api/v1/workloads/w1': { ...answered, frames: [] } })
  await show(RunPage, '/benchmarks/$id', '/benchmarks/w1')
  await screen.findByText('No data')
  expect(screen.queryAllByText('no space left on device')).toHaveLength(notes)
  expect(screen.queryAllByText('This run is not saved yet')).toHaveLength(notes)
  expect(gateway.sent.map(({ line }) => line)).toContain('GET /api/v1/workloads/w1')
})
