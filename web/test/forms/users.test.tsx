// The page Access: users and sessions, and who sees which.
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { onSignedOut } from '../../src/api/session-state'
import type { Me } from '../../src/api/types'
import { AccessPage } from '../../src/pages/access/AccessPage'
import { browserName } from '../../src/pages/access/browser-name'
import { type Answers, Gateway, json, refusal } from './gateway'
import { show } from './page'

const PASSWORD = 'correct horse battery staple'
const ada = {
  name: 'ada',
  grants: [{ role: 'operator' }],
  disabled: false,
  createdAt: '2026-11-20T12:00:00Z',
  who: 'token',
}
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const times = {
  createdAt: '2026-11-20T12:00:00Z',
  lastUsedAt: '2026-11-20T12:05:00Z',
  expiresAt: '2026-11-20T13:05:00Z',
  address: '192.0.2.7',
  userAgent: firefox,
}
const mine = { id: 'a', user: 'ada', grants: [{ role: 'operator' }], current: true, ...times }
const other = { id: 'b', grants: [{ role: 'admin' }], current: false, ...times, userAgent: undefined }
const page = (...items: object[]) => ({ items, truncated: false, limit: 1000 })

async function open(answers: Answers = {}, caller?: Me) {
  const gateway = new Gateway({
    'GET /api/v1/users': page(ada, { ...ada, name: 'grace', grants: [{ role: 'reader' }], disabled: true }),
    'GET /api/v1/tokens': page(),
    'GET /api/v1/sessions': page(mine, other),
    ...answers,
  })
  const { user } = await show(AccessPage, '/access', '/access', undefined, caller)
  await screen.findByText('this one')
  return { gateway, user }
}

const reader: Me = { id: 'p2', user: 'ada', grants: [{ role: 'reader' }], method: 'session', hasPassword: true }

test('administrators see users and all sessions', async () => {
  await open()
  await screen.findByText('grace')
  const rows = (await screen.findAllByRole('row')).map((row) => row.textContent)
  expect(rows.find((row) => row.startsWith('ada') && row.includes('token'))).toContain('operator')
  expect(rows.find((row) => row.startsWith('grace'))).toContain('disabled')
  expect(rows.find((row) => row.includes('administrator token'))).toContain('unknown')
  expect(rows.find((row) => row.includes('this one'))).toContain('Firefox, Linux')
})

test('others ask for their own sessions only', async () => {
  const { gateway } = await open({}, reader)
  expect(screen.queryByRole('button', { name: 'New user' })).toBeNull()
  expect(gateway.sent.map(({ line }) => line)).not.toContain('GET /api/v1/users')
  expect(gateway.sent.map(({ line }) => line)).not.toContain('GET /api/v1/tokens')
})

test('a user is made once the password is good', async () => {
  const { gateway, user } = await open({ 'POST /api/v1/users': () => json(ada, 201) })
  await user.click(await screen.findByRole('button', { name: 'New user' }))
  const dialog = within(screen.getByRole('dialog'))
  const create = dialog.getByRole<HTMLButtonElement>('button', { name: 'Create user' })
  await user.type(dialog.getByLabelText('Name'), 'grace')
  await user.selectOptions(dialog.getByLabelText('Role'), 'writer')
  const password = dialog.getByLabelText('Password')
  for (const bad of ['too short', 'I am Grace Hopper']) {
    await user.clear(password)
    await user.type(password, bad)
    expect(create.disabled, bad).toBe(true)
  }
  await user.clear(password)
  await user.type(password, PASSWORD)
  await user.click(create)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies('POST /api/v1/users')).toEqual([
    { name: 'grace', grants: [{ role: 'writer' }], password: PASSWORD },
  ])
})

test('only what was changed of a user is sent', async () => {
  const { gateway, user } = await open({ 'PATCH /api/v1/users/ada': () => json(ada) })
  await user.click(await screen.findByRole('button', { name: 'Change ada' }))
  const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })
  expect(save.disabled).toBe(true)
  await user.click(screen.getByRole('switch', { name: 'May sign in' }))
  await user.click(save)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies('PATCH /api/v1/users/ada')).toEqual([{ disabled: true }])
})

test('the limits of a user are changed', async () => {
  const { gateway, user } = await open({ 'PATCH /api/v1/users/ada': () => json(ada) })
  await user.click(await screen.findByRole('button', { name: 'Change ada' }))
  await user.type(screen.getByLabelText('Requests at once'), '8')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies('PATCH /api/v1/users/ada')).toEqual([{ limits: { requestsAtOnce: 8 } }])
})

test('a user gets a role for some sets of a namespace beside the one for the whole server', async () => {
  const { gateway, user } = await open({ 'PATCH /api/v1/users/ada': () => json(ada) })
  await user.click(await screen.findByRole('button', { name: 'Change ada' }))
  await user.click(screen.getByRole('button', { name: 'Add a role' }))
  const [, second] = screen.getAllByRole('group', { name: 'Role' }).map((group) => within(group))
  await user.selectOptions(second?.getByLabelText('Role') as HTMLElement, 'writer')
  await user.type(second?.getByLabelText('Namespace') as HTMLElement, 'shop')
  await user.type(second?.getByLabelText('Sets that begin with') as HTMLElement, 'eu-')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies('PATCH /api/v1/users/ada')).toEqual([
    { grants: [{ role: 'operator' }, { role: 'writer', namespace: 'shop', setPrefix: 'eu-' }] },
  ])
})

test('a user is removed after a confirmation', async () => {
  const { gateway, user } = await open({ 'DELETE /api/v1/users/ada': () => json(ada) })
  await user.click(await screen.findByRole('button', { name: 'Remove ada' }))
  await user.click(screen.getByRole('button', { name: 'Remove user' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.sent.map(({ line }) => line)).toContain('DELETE /api/v1/users/ada')
})

test('another session is ended; ending this one leads to the sign-in page', async () => {
  let left = 0
  const stop = onSignedOut(() => (left += 1))
  const { gateway, user } = await open({
    'DELETE /api/v1/sessions/a': () => json(mine),
    'DELETE /api/v1/sessions/b': () => json(other),
  })
  await user.click(screen.getByRole('button', { name: 'Sign out administrator token in unknown' }))
  await waitFor(() => expect(gateway.sent.map(({ line }) => line)).toContain('DELETE /api/v1/sessions/b'))
  expect(left).toBe(0)
  await user.click(screen.getByRole('button', { name: 'Sign out ada in Firefox, Linux' }))
  await waitFor(() => expect(left).toBe(1))
  stop()
})

test('users change their password, and a wrong old one signs nobody out', async () => {
  let left = 0
  const stop = onSignedOut(() => (left += 1))
  const wrong = () => refusal(403, 'password_wrong', 'the old password is wrong', 'password')
  const { user } = await open({ 'POST /api/v1/auth/password': wrong }, reader)
  await user.click(await screen.findByRole('button', { name: 'Change password…' }))
  await user.type(screen.getByLabelText('Old password'), 'mistyped')
  await user.type(screen.getByLabelText('New password'), PASSWORD)
  await user.click(screen.getByRole('button', { name: 'Change password' }))
  await screen.findByText('password_wrong · 403')
  expect(left).toBe(0)
  stop()
})

const since = '2026-11-20T12:00:00Z'

test('the list tells who has a second factor, and an administrator removes it', async () => {
  const line = 'DELETE /api/v1/users/ada/second-factor'
  const users = page({ ...ada, secondFactorSince: since }, { ...ada, name: 'grace' })
  const { gateway, user } = await open({ 'GET /api/v1/users': users, [line]: ada })
  await screen.findByText('second factor')
  expect(screen.getAllByText('Remove factor…')).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'Remove the second factor of ada' }))
  await user.click(await screen.findByRole('button', { name: 'Remove second factor' }))
  await waitFor(() => expect(gateway.sent.map((one) => one.line)).toContain(line))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('users see and remove their own, and a change of the password asks for a code', async () => {
  const secondFactor = { needed: false, since, recoveryCodesLeft: 1 }
  const removed: Answers = {
    'DELETE /api/v1/auth/second-factor': () => new Response(null, { status: 204 }),
    'POST /api/v1/auth/password': () => new Response(null, { status: 204 }),
  }
  const me = { ...reader, secondFactor }
  const { gateway, user } = await open({ ...removed, 'GET /api/v1/auth/me': me }, me)
  await user.click(await screen.findByRole('button', { name: 'Change password…' }))
  await user.type(screen.getByLabelText('Old password'), 'correct horse')
  await user.type(screen.getByLabelText('New password'), PASSWORD)
  await user.type(screen.getByLabelText('Code'), '492039')
  await user.click(screen.getByRole('button', { name: 'Change password' }))
  await waitFor(() =>
    expect(gateway.bodies('POST /api/v1/auth/password')).toEqual([
      { password: 'correct horse', newPassword: PASSWORD, code: '492039' },
    ]),
  )
  await user.click(await screen.findByRole('button', { name: 'Second factor…' }))
  expect((await screen.findByRole('dialog')).textContent).toContain('1 recovery code is left.')
  await user.click(screen.getByRole('button', { name: 'Remove second factor' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.sent.map(({ line }) => line)).toContain('DELETE /api/v1/auth/second-factor')
})

test('who has no password has no second factor to set up', async () => {
  await open({}, { ...reader, hasPassword: false })
  expect(screen.queryByRole('button', { name: 'Second factor…' })).toBeNull()
})

test.each([
  [firefox, 'Firefox, Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge, Windows',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/18.0 Safari/605.1', 'Safari, macOS'],
  ['curl/8.5.0', 'curl'],
  ['my program', 'my program'],
  [undefined, 'unknown'],
])('%s is shown as %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name)
})
