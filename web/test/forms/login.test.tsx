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
