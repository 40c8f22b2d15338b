import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ClusterOverview } from '../../src/pages/namespaces/detail/ClusterOverview'
import { DangerTab } from '../../src/pages/namespaces/detail/DangerTab'
import { SetsTab } from '../../src/pages/namespaces/detail/sets/SetsTab'
import { Gateway } from './gateway'
import { show } from './page'

const missing = ['segments', 'disks', 'limits']
const far = (capabilities: object, engine: string) => ({
  name: 'far',
  state: 'ready',
  records: 1200,
  capabilities,
  config: { storage: { engine }, segments: 1 },
})
const cluster = far({ counts: 'estimated', missing, durability: ['relaxed'] }, 'cassandra')
const here = far({ counts: 'exact', missing: [] }, 'memory')
const events = { name: 'events', records: 1200, bytes: 64_000, index: { state: 'off', bytes: 0 }, limits: {} }

const openSets = async (namespace: object) => {
  const gateway = new Gateway({
    'GET /api/v1/namespaces/far': () => Response.json(namespace, { headers: { etag: '"1"' } }),
    'GET /api/v1/namespaces/far/truncations': { items: [] },
    'GET /api/v1/namespaces/far/sets': { items: [events], total: { sets: 1, records: 1200, bytes: 64_000 } },
  })
  const { user } = await show(SetsTab, '/namespaces/$ns/sets', '/namespaces/far/sets')
  const table = await screen.findByRole('table', { name: 'Sets of far' })
  expect(gateway.sent.map(({ line }) => line)).toContain('GET /api/v1/namespaces/far/sets')
  return {
    user,
    headings: within(table)
      .getAllByRole('columnheader')
      .map(({ textContent }) => textContent),
  }
}

test('the sets of a cluster have no settings that it would refuse, and their numbers are called estimates', async () => {
  const { user, headings } = await openSets(cluster)
  expect(headings.join(' ')).not.toMatch(/distribution|limits|index memory/)
  expect(headings).toContain('set index')
  expect(screen.getByText(/numbers are estimates/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Limits…' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Create a set' }))
  expect(screen.queryByLabelText('Distribution bin')).toBeNull()
  expect(screen.getByRole('checkbox', { name: 'Build a set index' })).toBeTruthy()
})

test('the sets of other engines have them all', async () => {
  const { user, headings } = await openSets(here)
  expect(headings.join(' ')).toMatch(/^set.*records.*size.*set index.*distribution bin.*limits.*index memory/)
  await user.click(screen.getByRole('button', { name: 'Create a set' }))
  expect(screen.getByLabelText('Distribution bin')).toBeTruthy()
})

test('the overview of a namespace on a cluster says about how many records it has, and no last write', async () => {
  const nodes = [{ id: 'a', address: '127.0.0.1', connected: true }]
  const Page = () => (
    <ClusterOverview
      namespace={{ ...cluster, sets: 3, createdAt: '2026-11-27T10:00:00Z' } as never}
      cluster={{ name: 'prod', keyspace: 'ts_far', nodes }}
    />
  )
  await show(Page)
  expect(screen.getByText('≈ 1,200')).toBeTruthy()
  expect(screen.queryByText('last write')).toBeNull()
  expect(screen.getByText(/has none of these: segments, /)).toBeTruthy()
})

test.each([
  ['cassandra', cluster, /the records stay on the cluster/, null],
  ['memory', here, /this cannot be undone/, /Dry run/],
])('a drop of a namespace on %s says what becomes of its records', async (_, namespace, words, dryRun) => {
  const gateway = new Gateway({
    'GET /api/v1/namespaces/far': () => Response.json(namespace, { headers: { etag: '"1"' } }),
    'DELETE /api/v1/namespaces/far': { records: 1200, bytes: 64_000, indexes: 0 },
  })
  await show(DangerTab, '/namespaces/$ns/danger', '/namespaces/far/danger')
  expect(await screen.findByText(words)).toBeTruthy()
  const shown = dryRun === null ? screen.queryByText(/Dry run/) : await screen.findByText(dryRun)
  expect(shown === null).toBe(dryRun === null)
  expect(gateway.sent.map(({ line }) => line)).toContain('GET /api/v1/namespaces/far')
})
