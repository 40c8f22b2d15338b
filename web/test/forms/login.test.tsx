// The sign-in page: users, tokens, and what it says about a link that did not work.
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { LoginPage } from '../../src/pages/login/LoginPage'
import { Gateway, json, refusal } from './gateway'
import { show } from './page'

const LOGIN = 'POST /api/v1/auth/login'
beforeEach(() => localStorage.clear())

test('a link that did not sign in says why, and the token is asked for', async () => {
  await show(LoginPage, '/login', '/login?failed=login_code_invalid')
  expect(screen.getByRole('alert').textContent).toContain('It was used before, or has expired. Paste the token.')
  expect(screen.getByText('login_code_invalid')).toBeTruthy()
  expect(screen.getByLabelText('Token')).toBeTruthy()
})

test('without such a link nothing is wrong yet', async () => {
  await show(LoginPage, '/login')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a user signs in with a password', async () => {
  const gateway = new Gateway({ [LOGIN]: () => json({ user: 'ada', grants: [{ role: 'reader' }], method: 'session' }) })
  const { user, path } = await show(LoginPage, '/login', '/login?next=%2Fjobs')
  await user.type(screen.getByLabelText('User'), 'ada')
  await user.type(screen.getByLabelText('Password'), 'correct horse battery staple')
  await user.click(screen.getByRole('button', { name: 'Sign in' }))
  await waitFor(() => expect(path()).toBe('/jobs'))
  expect(gateway.bodies(LOGIN)).toEqual([{ user: 'ada', password: 'correct horse battery staple' }])
})

test('whoever signs in with the token is asked for it the next time', async () => {
  const gateway = new Gateway({ [LOGIN]: () => json({}, 201) })
  const { user, path } = await show(LoginPage, '/login', '/login?next=%2Fjobs')
  await user.click(screen.getByRole('radio', { name: 'Administrator token' }))
  await user.type(screen.getByLabelText('Token'), ' secret ')
  await user.click(screen.getByRole('button', { name: 'Sign in' }))
  await waitFor(() => expect(path()).toBe('/jobs'))
  expect(gateway.bodies(LOGIN)).toEqual([{ token: 'secret' }])
  expect(localStorage.getItem('tessera.sign-in')).toBe('token')
})

test('a wrong password says so, and does not speak of a session', async () => {
  const gateway = new Gateway({ [LOGIN]: () => refusal(401, 'auth_invalid', 'the user or the password is wrong') })
  const { user } = await show(LoginPage, '/login')
  await user.type(screen.getByLabelText('User'), 'ada')
  await user.type(screen.getByLabelText('Password'), 'wrong{Enter}')
  expect((await screen.findByRole('alert')).textContent).toContain('Check what you typed.')
  expect(gateway.bodies(LOGIN)).toHaveLength(1)
})

const ada = { user: 'ada', grants: [{ role: 'reader' }], method: 'session' }
const setUp = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Tessera:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Tessera',
  expiresAt: '2026-01-31T12:10:00Z',
}

test('a code is asked for once the password was right, and a used one says so', async () => {
  let signIns = 0
  const gateway = new Gateway({
    [LOGIN]: () => {
      signIns += 1
      if (signIns === 1) return refusal(403, 'code_required', 'send the code, too', 'code')
      return signIns === 2 ? refusal(403, 'code_invalid', 'the code is wrong', 'code') : json(ada)
    },
  })
  const { user, path } = await show(LoginPage, '/login', '/login?next=%2Fjobs')
  await user.type(screen.getByLabelText('User'), 'ada')
  expect(screen.queryByLabelText('Code')).toBeNull()
  await user.type(screen.getByLabelText('Password'), 'correct horse{Enter}')
  const code = await screen.findByLabelText('Code')
  expect(document.activeElement).toBe(code)
  expect(screen.queryByRole('alert')).toBeNull()
  await user.type(code, '111111{Enter}')
  expect((await screen.findByRole('alert')).textContent).toContain('Each code works once.')
  await user.clear(code)
  await user.type(code, '222222{Enter}')
  await waitFor(() => expect(path()).toBe('/jobs'))
  const given = { user: 'ada', password: 'correct horse' }
  expect(gateway.bodies(LOGIN)).toEqual([given, { ...given, code: '111111' }, { ...given, code: '222222' }])
})

test('a factor that the server demands is set up before the page is shown', async () => {
  const recoveryCodes = Array.from({ length: 10 }, (_, at) => `AAAA-BBBB-CCC${at}`)
  const gateway = new Gateway({
    [LOGIN]: () => json({ ...ada, secondFactor: { needed: true } }),
    'POST /api/v1/auth/second-factor': setUp,
    'PUT /api/v1/auth/second-factor': { recoveryCodes },
  })
  const { user, path } = await show(LoginPage, '/login', '/login?next=%2Fjobs')
  await user.type(screen.getByLabelText('User'), 'ada')
  await user.type(screen.getByLabelText('Password'), 'correct horse{Enter}')
  await screen.findByRole('heading', { name: 'Set up a second factor' })
  expect(path()).toBe('/login')
  await user.click(screen.getByRole('button', { name: 'Begin' }))
  await screen.findByRole('img', { name: 'QR code with the secret' })
  screen.getByText('JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP')
  await user.type(screen.getByLabelText('Code'), '492039{Enter}')
  const list = await screen.findByRole('list', { name: 'Recovery codes' })
  expect(list.textContent).toBe(recoveryCodes.join(''))
  expect(gateway.bodies('PUT /api/v1/auth/second-factor')).toEqual([{ code: '492039' }])
  await user.click(screen.getByRole('button', { name: 'Done' }))
  await waitFor(() => expect(path()).toBe('/jobs'))
})

test.each([{ needed: false }, { needed: true, since: '2026-01-31T12:00:00Z', recoveryCodesLeft: 3 }])(
  'with %j nothing is set up',
  async (secondFactor) => {
    const gateway = new Gateway({ [LOGIN]: () => json({ ...ada, secondFactor }) })
    const { user, path } = await show(LoginPage, '/login', '/login?next=%2Fjobs')
    await user.type(screen.getByLabelText('User'), 'ada')
    await user.type(screen.getByLabelText('Password'), 'correct horse{Enter}')
    await waitFor(() => expect(path()).toBe('/jobs'))
    expect(gateway.bodies(LOGIN)).toHaveLength(1)
  },
)
