// What needs a fresh sign-in asks for it in a dialog, and is then done.
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { useSignInAgain } from '../../src/api/sign-in-again'
import type { Me } from '../../src/api/types'
import { AccessPage } from '../../src/pages/access/AccessPage'
import { SignInAgain } from '../../src/pages/login/SignInAgain'
import { Gateway, json, refusal } from './gateway'
import { show } from './page'

const LOGIN = 'POST /api/v1/auth/login'
const END = 'DELETE /api/v1/sessions/s2'
const ada: Me = {
  id: 'p1',
  user: 'ada',
  grants: [{ role: 'reader' }],
  method: 'session',
  signedInWith: 'password',
  hasPassword: true,
}
const session = {
  id: 's1',
  user: 'ada',
  signedInWith: 'password',
  grants: [{ role: 'reader' }],
  createdAt: '2026-01-31T12:00:00Z',
  lastUsedAt: '2026-01-31T12:00:00Z',
  expiresAt: '2026-01-31T13:00:00Z',
  current: true,
}

function Page() {
  const again = useSignInAgain()
  return (
    <>
      <AccessPage />
      {again && <SignInAgain />}
    </>
  )
}

beforeEach(() => localStorage.clear())

async function open(caller: Me, login: () => Response) {
  let isFresh = false
  const gateway = new Gateway({
    'GET /api/v1/sessions': {
      items: [session, { ...session, id: 's2', current: false }],
      truncated: false,
      limit: 1000,
    },
    [LOGIN]: () => {
      const answer = login()
      isFresh = answer.ok
      return answer
    },
    [END]: () =>
      isFresh ? json({ ...session, id: 's2', current: false }) : refusal(403, 'sign_in_again', 'sign in again'),
  })
  const { user } = await show(Page, '/access', '/access', undefined, caller)
  const [, other] = await screen.findAllByRole('button', { name: /^Sign out ada in/ })
  if (other === undefined) throw new Error('there is no other session')
  await user.click(other)
  await screen.findByRole('dialog', { name: 'Sign in again' })
  return { gateway, user }
}

const ended = (gateway: Gateway) => gateway.sent.filter(({ line }) => line === END)

test('the password is asked for, and the call is sent again', async () => {
  const { gateway, user } = await open(ada, () => json(ada))
  await user.type(screen.getByLabelText('Password of ada'), 'correct horse{Enter}')
  await waitFor(() => expect(ended(gateway)).toHaveLength(2))
  expect(gateway.bodies(LOGIN)).toEqual([{ user: 'ada', password: 'correct horse' }])
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('a user with a second factor is asked for a code, too', async () => {
  const since = '2026-01-31T12:00:00Z'
  const { gateway, user } = await open({ ...ada, secondFactor: { needed: false, since, recoveryCodesLeft: 10 } }, () =>
    json(ada),
  )
  await user.type(screen.getByLabelText('Password of ada'), 'correct horse')
  expect(screen.getByRole('button', { name: 'Sign in' })).toHaveProperty('disabled', true)
  await user.type(screen.getByLabelText('Code'), '492039{Enter}')
  await waitFor(() => expect(ended(gateway)).toHaveLength(2))
  expect(gateway.bodies(LOGIN)).toEqual([{ user: 'ada', password: 'correct horse', code: '492039' }])
})

test('a dialog makes room for the one that asks, and comes back with its answer', async () => {
  let isFresh = false
  const begun = {
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Tessera:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    expiresAt: '2026-01-31T12:10:00Z',
  }
  const gateway = new Gateway({
    'GET /api/v1/sessions': { items: [session], truncated: false, limit: 1000 },
    'GET /api/v1/auth/me': { ...ada, secondFactor: { needed: false } },
    [LOGIN]: () => {
      isFresh = true
      return json(ada)
    },
    'POST /api/v1/auth/second-factor': () => (isFresh ? json(begun) : refusal(403, 'sign_in_again', 'sign in again')),
  })
  const { user } = await show(Page, '/access', '/access', undefined, { ...ada, secondFactor: { needed: false } })
  await user.click(await screen.findByRole('button', { name: 'Second factor…' }))
  await user.click(await screen.findByRole('button', { name: 'Set up' }))
  await screen.findByRole('dialog', { name: 'Sign in again' })
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Second factor' })).toBeNull())
  await user.type(screen.getByLabelText('Password of ada'), 'correct horse{Enter}')
  await screen.findByRole('dialog', { name: 'Set up a second factor' })
  expect(screen.queryByRole('dialog', { name: 'Sign in again' })).toBeNull()
  expect(gateway.sent.filter(({ line }) => line === 'POST /api/v1/auth/second-factor')).toHaveLength(2)
})

test('a session of the administrator token asks for the token', async () => {
  const { gateway, user } = await open({ ...ada, user: 'admin', signedInWith: 'token', hasPassword: false }, () =>
    json({}, 201),
  )
  await user.type(screen.getByLabelText('Administrator token'), 'secret{Enter}')
  await waitFor(() => expect(ended(gateway)).toHaveLength(2))
  expect(gateway.bodies(LOGIN)).toEqual([{ token: 'secret' }])
})

test('somebody of a provider is led there', async () => {
  const { user } = await open({ ...ada, signedInWith: 'provider', hasPassword: false }, () => json({}))
  expect(screen.getByRole('link', { name: 'Go to the provider' }).getAttribute('href')).toMatch(
    /^\/login\/oidc\?again=true&next=%2F/,
  )
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await screen.findByText('sign_in_again · 403')
})

test('a wrong password says so, and nothing is sent again until it is right', async () => {
  const { gateway, user } = await open(ada, () => refusal(401, 'auth_invalid', 'the user or the password is wrong'))
  await user.type(screen.getByLabelText('Password of ada'), 'wrong{Enter}')
  await screen.findByText('auth_invalid · 401')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await screen.findByText('Sign in again, then repeat it.')
  expect(ended(gateway)).toHaveLength(1)
})
