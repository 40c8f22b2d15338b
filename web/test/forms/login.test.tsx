// The sign-in page: what it says about a link that did not work.
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { LoginPage } from '../../src/pages/login/LoginPage'
import { show } from './page'

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
