import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { NewNamespacePage } from '../../src/pages/namespaces/new/NewNamespacePage'
import { type Answers, Gateway, json, refusal } from './gateway'
import { show } from './page'
import { pick } from '../ui/pick'

const CREATE = 'POST /api/v1/namespaces'
const CLUSTERS = 'GET /api/v1/clusters'
const described = { contactPoints: ['10.0.0.1', '10.0.0.2'], encrypted: true, namespaces: [], dataCentres: [] }
const known = {
  configured: true,
  items: [
    { ...described, name: 'broken', problem: 'the cluster must have both user and password' },
    { ...described, name: 'prod', dataCentres: [{ name: 'dc1', nodes: 3, connected: 2 }] },
  ],
}

async function open(answers: Answers = {}) {
  const none = { configured: false, items: [] }
  const gateway = new Gateway({ [CREATE]: { name: 'events' }, [CLUSTERS]: none, ...answers })
  const shown = await show(NewNamespacePage, '/namespaces/new')
  return { gateway, ...shown }
}

const field = (name: string): HTMLInputElement => screen.getByLabelText(name)
const create = (): HTMLElement => screen.getByRole('button', { name: 'Create namespace' })
const review = (): unknown => JSON.parse(screen.getByLabelText('Configuration as JSON').textContent)
const alerts = (): (string | null)[] => screen.queryAllByRole('alert').map(({ textContent }) => textContent)

test('a name is all it takes, and the page goes to the new namespace', async () => {
  const { gateway, user, path } = await open()
  await user.type(field('Name'), 'events')
  await user.click(create())
  await waitFor(() => expect(path()).toBe('/namespaces/events'))
  expect(gateway.bodies(CREATE)).toEqual([{ name: 'events', storage: { engine: 'memory' }, segments: 256 }])
})

test('nothing is said before the first try, and nothing is sent while something is wrong', async () => {
  const { gateway, user } = await open()
  await user.type(field('Name'), 'a b')
  await user.type(field('Evict at, percent'), '90')
  expect(alerts()).toEqual([])
  await user.click(create())
  expect(alerts()).toEqual(['1 to 63 letters, digits, “_”, “.” or “-”', '0 to 89; 0: never'])
  expect(field('Name').getAttribute('aria-invalid')).toBe('true')
  await user.clear(field('Name'))
  await user.type(field('Name'), 'ab')
  expect(alerts()).toEqual(['0 to 89; 0: never'])
  expect(gateway.bodies(CREATE)).toEqual([])
  await user.clear(field('Evict at, percent'))
  await user.keyboard('80{Enter}')
  await waitFor(() => expect(gateway.bodies(CREATE)).toMatchObject([{ name: 'ab', evictAtPercent: 80 }]))
})

test('the review is what is sent, in the units of the API', async () => {
  const { gateway, user } = await open()
  await user.type(field('Name'), 'events')
  await user.click(screen.getByRole('radio', { name: /^device/ }))
  await user.type(field('Devices'), '/mnt/a 1.5\n/mnt/b')
  await pick(user, field('Write block'), '1 MiB')
  await user.type(field('Largest record, KiB'), '64')
  await user.click(screen.getByRole('radio', { name: /^relaxed/ }))
  const config = {
    name: 'events',
    storage: {
      engine: 'device',
      devices: [{ path: '/mnt/a', capacityBytes: 1.5 * 1024 ** 3 }, { path: '/mnt/b' }],
      writeBlockBytes: 1024 ** 2,
    },
    segments: 256,
    durability: 'relaxed',
    maxRecordBytes: 64 * 1024,
  }
  expect(review()).toEqual(config)
  await user.click(create())
  await waitFor(() => expect(gateway.bodies(CREATE)).toEqual([config]))
})

test('a field that went with its engine holds nothing up', async () => {
  const { gateway, user } = await open()
  await user.type(field('Name'), 'events')
  await user.click(screen.getByRole('radio', { name: /^device/ }))
  await user.type(field('Flush interval, ms'), '0')
  await user.type(field('Defragment blocks below, %'), '99')
  await user.click(create())
  expect(alerts()).toEqual(['1 to 60,000 ms', '0 to 95'])
  await user.click(screen.getByRole('radio', { name: /^memory/ }))
  expect(alerts()).toEqual([])
  await user.click(create())
  await waitFor(() => expect(gateway.bodies(CREATE)).toHaveLength(1))
})

test('a refusal stands at its field, and goes with the next change; the form keeps its values', async () => {
  const { gateway, user, path } = await open({
    [CREATE]: () => refusal(409, 'namespace_exists', 'There is a namespace shop.', 'name'),
  })
  await user.type(field('Name'), 'shop')
  await user.type(field('Default TTL, seconds'), '60')
  await user.click(create())
  await screen.findByText('namespace_exists · 409')
  expect(field('Name').getAttribute('aria-invalid')).toBe('true')
  expect([field('Name').value, field('Default TTL, seconds').value, path()]).toEqual(['shop', '60', '/namespaces/new'])
  await user.type(field('Name'), '2')
  expect(alerts()).toEqual([])
  gateway.answers[CREATE] = () => json({ name: 'shop2' }, 201)
  await user.click(create())
  await waitFor(() => expect(path()).toBe('/namespaces/shop2'))
  expect(gateway.bodies(CREATE)).toMatchObject([{ name: 'shop' }, { name: 'shop2', defaultTtlSeconds: 60 }])
})

const onCluster = (): Promise<HTMLInputElement> => screen.findByRole<HTMLInputElement>('radio', { name: /^cassandra/ })

test('without clusters the engine is there, and one line says how to get one', async () => {
  await open()
  const choice = await onCluster()
  expect([choice.disabled, choice.closest('label')?.textContent]).toMatchObject([
    true,
    expect.stringMatching(/This server knows no clusters.*TESSERA_CLUSTERS/),
  ])
})

test.each([
  [{ configured: true, problem: 'it cannot be read', items: [] }, 'it cannot be read'],
  [{ configured: true, items: [] }, 'has no clusters'],
  [{ configured: true, items: known.items.slice(0, 1) }, 'both user and password'],
])('a file without a cluster that can be used says why: %j', async (answer, why) => {
  await open({ [CLUSTERS]: answer })
  const choice = await onCluster()
  expect([choice.disabled, choice.closest('label')?.textContent]).toMatchObject([true, expect.stringContaining(why)])
})

test('a cluster is chosen by its name, and what is not changed is left to the server', async () => {
  const { gateway, user } = await open({ [CLUSTERS]: known })
  await user.type(field('Name'), 'events')
  await user.type(field('Evict at, percent'), '95')
  await user.click(await onCluster())
  expect(screen.getByLabelText<HTMLSelectElement>('Cluster').value).toBe('prod')
  expect(screen.getByText('dc1 with 3 nodes')).toBeTruthy()
  expect(screen.queryByLabelText('Segments')).toBeNull()
  expect(review()).toEqual({ name: 'events', storage: { engine: 'cassandra', cluster: { name: 'prod' } } })
  await user.click(create())
  await waitFor(() => expect(gateway.bodies(CREATE)).toHaveLength(1))
})

test('every setting of a cluster can be given, and a refusal stands at its field', async () => {
  const detail = 'dc1 is no data centre of the cluster'
  const { user } = await open({
    [CLUSTERS]: known,
    [CREATE]: () => refusal(400, 'config_invalid', detail, 'cluster.replication'),
  })
  await user.type(field('Name'), 'events')
  await user.click(await onCluster())
  await user.type(field('Copies of each record'), 'dc1 3, dc2')
  await user.type(field('Requests in flight'), '0')
  await user.click(create())
  expect(alerts()).toEqual(['1 to 64, or each data centre with its own: dc1 3, dc2 2', '1 to 32,768'])
  await user.type(field('Copies of each record'), ' 2')
  await user.clear(field('Requests in flight'))
  await user.type(field('Requests in flight'), '64')
  await user.type(field('Data centre'), 'dc1')
  await pick(user, field('A read asks'), 'one')
  await pick(user, field('A write waits for'), 'each_quorum')
  await pick(user, field('Writes take turns'), 'everywhere')
  await user.type(field('Timeout of a request, ms'), '200')
  await user.type(field('Timeout of a connection, ms'), '300')
  await user.type(field('How many others'), '0')
  const cluster = {
    name: 'prod',
    replication: { dc1: 3, dc2: 2 },
    dataCentre: 'dc1',
    reads: 'one',
    writes: 'each_quorum',
    serial: 'everywhere',
    timeoutMs: 200,
    connectTimeoutMs: 300,
    inFlight: 64,
    speculation: { afterMs: 300, most: 0 },
  }
  expect(review()).toEqual({ name: 'events', storage: { engine: 'cassandra', cluster } })
  await user.click(create())
  await waitFor(() => expect(alerts()).toContain(detail))
  expect(field('Copies of each record').getAttribute('aria-invalid')).toBe('true')
})

test('what is attached has its copies already', async () => {
  const { user } = await open({ [CLUSTERS]: known })
  await user.type(field('Name'), 'events')
  await user.click(await onCluster())
  await user.type(field('Copies of each record'), '5')
  await user.click(screen.getByRole('checkbox', { name: /^Attach/ }))
  expect(screen.queryByLabelText('Copies of each record')).toBeNull()
  expect(review()).toEqual({
    name: 'events',
    storage: { engine: 'cassandra', cluster: { name: 'prod', attach: true } },
  })
})

test('a use fills in the settings, which stay free', async () => {
  const { gateway, user } = await open()
  await user.click(screen.getByRole('radio', { name: /^Cache/ }))
  await user.type(field('Name'), 'pages')
  await user.clear(field('Default TTL, seconds'))
  await user.type(field('Default TTL, seconds'), '60')
  await user.click(create())
  const storage = { engine: 'memory', maxMemoryBytes: 1024 ** 3 }
  await waitFor(() =>
    expect(gateway.bodies(CREATE)).toMatchObject([{ storage, defaultTtlSeconds: 60, evictAtPercent: 80 }]),
  )
})

test('a pasted record is estimated, and its size becomes the limit', async () => {
  const plan = {
    record: { stored: 96 },
    dram: { records: 3.2 * 1024 ** 3, total: 4 * 1024 ** 3 },
  }
  const { user } = await open({ 'POST /api/v1/capacity': plan })
  await user.click(field('Sample record, JSON'))
  await user.paste('{"name":')
  await waitFor(() => expect(alerts()).toEqual([expect.stringContaining('no JSON')]))
  await user.paste('"Ada"}')
  await user.click(await screen.findByRole('button', { name: 'Set as maximum memory' }))
  expect(screen.getByText('4.00 GiB')).toBeDefined()
  expect(review()).toMatchObject({ storage: { maxMemoryBytes: Math.round(3.2 * 1024 ** 3) } })
})
