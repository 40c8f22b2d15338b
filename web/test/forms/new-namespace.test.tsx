import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { NewNamespacePage } from '../../src/pages/namespaces/new/NewNamespacePage'
import { type Answers, Gateway, json, refusal } from './gateway'
import { show } from './page'

const CREATE = 'POST /api/v1/namespaces'

async function open(answers: Answers = {}) {
  const gateway = new Gateway({ [CREATE]: { name: 'events' }, ...answers })
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
  await user.selectOptions(field('Write block'), '1 MiB')
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
