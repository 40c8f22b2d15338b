import { act, screen, within } from '@testing-library/react'
import { Profiler, type ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { connection } from '../../src/live/connection'
import type { Frame } from '../../src/live/frame'
import { NamespacesPage } from '../../src/pages/namespaces/NamespacesPage'
import { frameOf, seriesOf } from '../frames'
import { Gateway } from './gateway'
import { show } from './page'

afterEach(() => void vi.restoreAllMocks())

const namespace = (name: string) => ({
  name,
  state: 'ready',
  records: 1,
  sets: 1,
  indexes: 0,
  memory: { total: 1 },
  config: { storage: { engine: 'memory' } },
  capabilities: { missing: [] },
})

/** A frame with so many reads of each namespace. */
const frame = (reads: Record<string, number>): Frame =>
  frameOf(
    1000,
    Object.entries(reads).map(([name, n]) =>
      seriesOf(
        Array.from({ length: n }, () => 5000),
        { namespace: name },
      ),
    ),
  )

async function open() {
  const listeners = new Set<(frame: Frame) => void>()
  vi.spyOn(connection, 'onFrame').mockImplementation((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  })
  const gateway = new Gateway({
    'GET /api/v1/namespaces': { items: ['quiet', 'shop'].map(namespace) },
    'GET /api/v1/status': { cpus: 8, environment: 'development', notices: [] },
    'GET /api/v1/orphans': { items: [] },
  })
  const rendered = vi.fn<() => void>()
  const around = ({ children }: { children: ReactNode }) => (
    <Profiler id="page" onRender={rendered}>
      {children}
    </Profiler>
  )
  const { user } = await show(NamespacesPage, '/namespaces', '/namespaces', around)
  const table = await screen.findByRole('table', { name: 'Namespaces' })
  await act(async () => {})
  const arrive = (reads: Record<string, number>) => act(() => listeners.forEach((listener) => listener(frame(reads))))
  const rows = () => within(table).getAllByRole('row').slice(1)
  const names = () => rows().map((row) => row.firstElementChild?.textContent)
  const load = (at: number) => [8, 9].map((cell) => rows()[at]?.children[cell]?.textContent)
  return { gateway, user, rendered, arrive, names, load }
}

test('a frame writes load and p99 of each namespace, and renders nothing', async () => {
  const { rendered, arrive, load } = await open()
  rendered.mockClear()
  arrive({ shop: 3 })
  expect([load(0), load(1)]).toEqual([
    ['0/s', '–'],
    ['3/s', '5.00 µs'],
  ])
  arrive({ shop: 1, quiet: 2 })
  expect([load(0)[0], load(1)[0]]).toEqual(['2/s', '1/s'])
  expect(rendered).not.toHaveBeenCalled()
})

test('rows in the order of their load follow it', async () => {
  const { user, arrive, names } = await open()
  arrive({ shop: 3, quiet: 1 })
  await user.click(screen.getByRole('button', { name: 'load' }))
  expect(names()).toEqual(['shop', 'quiet'])
  arrive({ shop: 1, quiet: 3 })
  expect(names()).toEqual(['quiet', 'shop'])
})
