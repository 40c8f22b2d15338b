import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { navItems } from '../../src/shell/nav/nav-items'
import { AccessPage } from '../../src/pages/access/AccessPage'
import { type Answers, Gateway, json, refusal } from './gateway'
import { show } from './page'

const LIST = 'GET /api/v1/tokens'
const CREATE = 'POST /api/v1/tokens'
const kept = {
  id: '0mwuurgcxcbe8f5',
  name: 'loader',
  grants: [{ role: 'writer', namespace: 'shop' }],
  prefix: 'tsr_k0oZ6g',
  createdAt: '2026-11-20T12:00:00Z',
  who: 'console',
}
const expired = { ...kept, id: 'b', name: 'old', grants: [{ role: 'reader' }], expiresAt: '2020-01-01T00:00:00Z' }

async function open(answers: Answers = {}) {
  const gateway = new Gateway({ [LIST]: { items: [kept, expired], truncated: false, limit: 1000 }, ...answers })
  const { user } = await show(AccessPage, '/access')
  await screen.findByText('loader')
  return { gateway, user }
}

test('tokens are listed with their roles, and those that have expired are marked', async () => {
  await open()
  const rows = screen.getAllByRole('row').map((row) => row.textContent)
  expect(rows.find((row) => row.includes('loader'))).toMatch(/writer shop.*tsr_k0oZ6g….*never/)
  expect(rows.find((row) => row.includes('old'))).toContain('expired')
})

test('a new token is shown once', async () => {
  const { gateway, user } = await open({ [CREATE]: () => json({ ...kept, name: 'ci', token: 'tsr_secret' }, 201) })
  await user.click(screen.getByRole('button', { name: 'New token' }))
  const dialog = within(screen.getByRole('dialog'))
  await user.type(dialog.getByLabelText('Name'), 'c i')
  expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Create token' }).disabled).toBe(true)
  await user.clear(dialog.getByLabelText('Name'))
  await user.type(dialog.getByLabelText('Name'), 'ci')
  await user.selectOptions(dialog.getByLabelText('Role'), 'operator')
  await user.selectOptions(dialog.getByLabelText('Expires in'), 'never')
  await user.click(dialog.getByRole('button', { name: 'Create token' }))
  await screen.findByText('tsr_secret')
  expect(gateway.bodies(CREATE)).toEqual([{ name: 'ci', grants: [{ role: 'operator' }] }])
  await user.click(screen.getByRole('button', { name: 'Done' }))
  await waitFor(() => expect(screen.queryByText('tsr_secret')).toBeNull())
})

test('the limits of a token are listed and changed, and only good ones are sent', async () => {
  const CHANGE = 'PATCH /api/v1/tokens/0mwuurgcxcbe8f5'
  const limited = { ...kept, limits: { requestsPerSecond: 100, requestsAtOnce: 16 } }
  const { gateway, user } = await open({
    [LIST]: { items: [limited, expired], truncated: false, limit: 1000 },
    [CHANGE]: () => json(limited),
  })
  const rows = screen.getAllByRole('row').map((row) => row.textContent)
  expect(rows.find((row) => row.includes('loader'))).toContain('100/s, 16 at once')
  expect(rows.find((row) => row.includes('old'))).toContain('as configured')
  await user.click(screen.getByRole('button', { name: 'Limits of loader' }))
  const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })
  expect(save.disabled).toBe(true)
  const rate = screen.getByLabelText('Requests a second')
  for (const bad of ['-1', '1.5', 'many', '1000001']) {
    await user.clear(rate)
    await user.type(rate, bad)
    expect(save.disabled, bad).toBe(true)
  }
  await user.clear(rate)
  await user.type(screen.getByLabelText('Burst'), '500')
  await user.click(save)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies(CHANGE)).toEqual([{ limits: { burst: 500, requestsAtOnce: 16 } }])
})

test('a new token gets limits', async () => {
  const { gateway, user } = await open({ [CREATE]: () => json({ ...kept, name: 'ci', token: 'tsr_secret' }, 201) })
  await user.click(screen.getByRole('button', { name: 'New token' }))
  await user.type(screen.getByLabelText('Name'), 'ci')
  await user.type(screen.getByLabelText('Requests a second'), '20')
  await user.selectOptions(screen.getByLabelText('Expires in'), 'never')
  await user.click(screen.getByRole('button', { name: 'Create token' }))
  await screen.findByText('tsr_secret')
  expect(gateway.bodies(CREATE)).toEqual([
    { name: 'ci', grants: [{ role: 'reader' }], limits: { requestsPerSecond: 20 } },
  ])
})

test('a refusal is shown, and nothing is lost', async () => {
  const { user } = await open({ [CREATE]: () => refusal(409, 'token_exists', "there is a token 'loader'", 'name') })
  await user.click(screen.getByRole('button', { name: 'New token' }))
  await user.type(screen.getByLabelText('Name'), 'loader')
  await user.click(screen.getByRole('button', { name: 'Create token' }))
  await screen.findByText('token_exists · 409')
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('loader')
})

test('a token is revoked after a confirmation', async () => {
  let revoked = false
  const { user } = await open({
    [LIST]: () => json({ items: revoked ? [expired] : [kept, expired], truncated: false, limit: 1000 }),
    'DELETE /api/v1/tokens/0mwuurgcxcbe8f5': () => {
      revoked = true
      return json(kept)
    },
  })
  await user.click(screen.getByRole('button', { name: 'Revoke loader' }))
  await user.click(await screen.findByRole('button', { name: 'Revoke token' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Revoke loader' })).toBeNull())
})

test('each page has a key of its own', () => {
  const keys = navItems.flatMap(({ items }) => items.map(({ key }) => key))
  expect(new Set(keys).size).toBe(keys.length)
})
