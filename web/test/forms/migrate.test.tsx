import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { MigrateTab } from '../../src/pages/namespaces/migrate/MigrateTab'
import { type Answers, Gateway, json, refusal } from './gateway'
import { show } from './page'

const READ = 'GET /api/v1/namespaces/shop'
const SHOW = 'GET /api/v1/namespaces/shop/migration'
const CLUSTERS = 'GET /api/v1/clusters'
const BEGIN = 'POST /api/v1/namespaces/shop/migrate'
const step = (name: string): string => `POST /api/v1/namespaces/shop/migration/${name}`
const config = {
  name: 'shop',
  storage: { engine: 'memory' },
  segments: 256,
  container: 'segmented',
  durability: 'none',
}
const shop = { name: 'shop', state: 'ready', capabilities: { missing: [] }, config, mutable: [] }
const target = { ...config, storage: { engine: 'paged', pageBytes: 65_536 }, durability: 'commit' }
const doubled = {
  namespace: 'shop',
  phase: 'doubled',
  cutOver: false,
  source: { config, records: 1200 },
  target: { config: target, records: 1200 },
  copied: 1200,
  compared: 2400,
  repaired: 0,
}

async function open(namespace: object, answers: Answers = {}) {
  const gateway = new Gateway({ [READ]: namespace, ...answers })
  const { user } = await show(MigrateTab, '/namespaces/$ns/migrate', '/namespaces/shop/migrate')
  return { gateway, user, button: (name: string) => screen.findByRole<HTMLButtonElement>('button', { name }) }
}

test('a target that differs can be asked for, and only what differs is sent', async () => {
  const { gateway, user, button } = await open(shop, { [BEGIN]: () => json({ id: 'j', kind: 'migrate' }, 202) })
  expect((await button('Migrate')).disabled).toBe(true)
  await user.selectOptions(screen.getByLabelText('Segments'), '1024')
  await user.type(screen.getByLabelText('Records per second'), '500')
  await user.click(await button('Migrate'))
  await waitFor(() => expect(gateway.bodies(BEGIN)).toEqual([{ segments: 1024, recordsPerSecond: 500 }]))
})

test('a refusal is shown, and goes with the next change', async () => {
  const { user, button } = await open(shop, {
    [BEGIN]: () => refusal(409, 'index_building', 'An index is being built.'),
  })
  await user.click(await screen.findByRole('radio', { name: /^device/ }))
  await user.click(await button('Migrate'))
  await screen.findByText('index_building · 409')
  await user.selectOptions(screen.getByLabelText('Segments'), '16')
  await waitFor(() => expect(screen.queryByText('index_building · 409')).toBeNull())
})

test('both stores are shown, and the namespace is cut over', async () => {
  const { gateway, user, button } = await open(
    { ...shop, migration: { phase: 'doubled', cutOver: false } },
    { [SHOW]: doubled, [step('cut-over')]: { ...doubled, cutOver: true } },
  )
  const stores = within(await screen.findByRole('region', { name: 'Stores' }))
  expect(stores.getByRole('row', { name: /^storage engine/ }).textContent).toBe('storage enginememorypaged')
  expect(screen.queryByRole('button', { name: 'Resume' })).toBeNull()
  await user.click(await button('Cut over'))
  await waitFor(() => expect(gateway.sent.map(({ line }) => line)).toContain(step('cut-over')))
})

test('finishing needs the name, and abandoning does not', async () => {
  const cut = { ...doubled, cutOver: true }
  let namespace: object = { ...shop, migration: { phase: 'doubled', cutOver: true } }
  const finish = (): Response => {
    namespace = shop
    return json(shop)
  }
  const answers = { [READ]: () => json(namespace), [SHOW]: cut, [step('finish')]: finish }
  const { gateway, user, button } = await open(namespace, answers)
  await button('Roll back')
  await user.click(await button('Finish…'))
  expect((await button('Finish')).disabled).toBe(true)
  await user.type(screen.getByRole('textbox'), 'shop')
  await user.click(await button('Finish'))
  await button('Migrate')
  const lines = gateway.sent.map(({ line }) => line)
  expect(lines).toContain(step('finish'))
  expect(lines.slice(lines.indexOf(step('finish')))).not.toContain(SHOW)
})

test('one that has failed says why, and is resumed', async () => {
  const failed = { ...doubled, phase: 'failed', failure: { code: 'memory_full', message: 'The target is full.' } }
  const { gateway, user, button } = await open(
    { ...shop, migration: { phase: 'failed', cutOver: false } },
    { [SHOW]: failed, [step('resume')]: () => json({ id: 'j', kind: 'migrate' }, 202) },
  )
  expect((await screen.findByRole('alert')).textContent).toContain('The target is full.')
  expect(screen.queryByRole('button', { name: 'Cut over' })).toBeNull()
  await user.click(await button('Resume'))
  await waitFor(() => expect(gateway.bodies(step('resume'))).toEqual([{}]))
})

test('a cluster is a target like any other, and has nothing of this machine', async () => {
  const prod = { name: 'prod', contactPoints: ['10.0.0.1:9042'], encrypted: false, dataCentres: [], namespaces: [] }
  const { gateway, user, button } = await open(shop, {
    [CLUSTERS]: { configured: true, items: [prod] },
    [BEGIN]: () => json({ id: 'j', kind: 'migrate' }, 202),
  })
  await user.click(await screen.findByRole('radio', { name: /^cassandra/ }))
  expect(screen.queryByLabelText('Segments')).toBeNull()
  expect(screen.queryByLabelText(/^Attach/)).toBeNull()
  await screen.findByText(/Other servers read the records on the cluster meanwhile/)
  await user.click(await button('Migrate'))
  await waitFor(() =>
    expect(gateway.bodies(BEGIN)).toEqual([{ storage: { engine: 'cassandra', cluster: { name: 'prod' } } }]),
  )
})

test('from a cluster records come to this machine', async () => {
  const storage = { engine: 'cassandra', cluster: { name: 'prod' } }
  const { gateway, user, button } = await open(
    { ...shop, capabilities: { missing: ['disks'] }, config: { ...config, storage, durability: 'relaxed' } },
    { [BEGIN]: () => json({ id: 'j', kind: 'migrate' }, 202) },
  )
  await user.click(await screen.findByRole('radio', { name: /^device/ }))
  expect(screen.queryByRole('radio', { name: /^cassandra/ })).toBeNull()
  await user.click(await button('Migrate'))
  await waitFor(() => expect(gateway.bodies(BEGIN)).toEqual([{ storage: { engine: 'device' }, durability: 'commit' }]))
})
