// The provider says that somebody was signed out there: their sessions here end, and nobody else can say so.
import { decodeJwt, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { LogoutTokens } from '../../../src/auth/oidc/logout-token.js'
import { Sessions } from '../../../src/auth/sessions.js'
import { bearer, useGateway } from '../../gateway.js'
import { CLIENT_ID, SIGNED_OUT, TestProvider } from './test-provider.js'
import { browser, oidcConfig } from './visitor.js'

const provider = await TestProvider.open()
afterAll(() => provider.close())
for (const person of ['ada', 'eve']) provider.groups.set(person, ['all'])

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const grants = { claim: 'groups', grants: { all: [{ role: 'reader' }] } }
const now = () => Math.floor(Date.now() / 1000)

const claimsOf = (more: Record<string, unknown> = {}): JWTPayload => ({
  iss: provider.issuer,
  aud: 'tessera',
  iat: now(),
  exp: now() + 120,
  jti: randomUUID(),
  sub: 'ada',
  events: { [EVENT]: {} },
  ...more,
})
const signed = (claims: JWTPayload, typ: string | undefined = 'logout+jwt', key = provider.key.sign) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'first', ...(typ !== undefined && { typ }) }).sign(key)

describe('a logout at the provider', () => {
  const gateway = useGateway({}, undefined, undefined, () => oidcConfig(provider, grants))
  afterEach(() => provider.instead.clear())
  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    gateway().send('POST /login/oidc/logout', { anonymous: true, body, headers: { 'content-type': type } })
  const tell = async (token: string | Promise<string>) => post(`logout_token=${await token}`)
  const signIn = async (person: string) => {
    const { signIn: enter, visit } = browser(gateway())
    expect((await enter(provider, person)).status).toBe(200)
    return async () => (await visit('/api/v1/auth/me')).status
  }

  test('ends the sessions of the person, and no other', async () => {
    const [first, second, other] = [await signIn('ada'), await signIn('ada'), await signIn('eve')]
    const answer = await tell(signed(claimsOf()))
    expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([204, '', 'no-store'])
    expect([await first(), await second(), await other()]).toEqual([401, 401, 200])
    const { items } = await gateway().ok<{ items: object[] }>('GET /api/v1/audit?operation=endProviderSessions')
    expect(items[0]).toMatchObject({ who: 'oidc:ada' })
    expect((await tell(signed(claimsOf({ sub: 'nobody' })))).status).toBe(204)
  })

  test.each<[string, () => Promise<string> | string]>([
    ['no signature', () => new UnsecuredJWT(claimsOf()).encode()],
    [
      'the signature of another key',
      async () => signed(claimsOf(), 'logout+jwt', (await generateKeyPair('RS256')).privateKey),
    ],
    [
      'a signature by the secret of the client',
      () =>
        new SignJWT(claimsOf())
          .setProtectedHeader({ alg: 'HS256', typ: 'logout+jwt' })
          .sign(new TextEncoder().encode('a-secret-of-the-client-0123456789')),
    ],
    ['another audience', () => signed(claimsOf({ aud: 'other' }))],
    ['another issuer', () => signed(claimsOf({ iss: 'http://127.0.0.1:1' }))],
    ['no time', () => signed(claimsOf({ iat: undefined }))],
    ['a time long ago', () => signed(claimsOf({ iat: now() - 3600, exp: undefined }))],
    ['a time in the future', () => signed(claimsOf({ iat: now() + 3600 }))],
    ['an end that is over', () => signed(claimsOf({ exp: now() - 60 }))],
    ['no id', () => signed(claimsOf({ jti: undefined }))],
    ['no event', () => signed(claimsOf({ events: {} }))],
    ['an event that is a text', () => signed(claimsOf({ events: EVENT }))],
    ['a nonce, as an ID token has', () => signed(claimsOf({ nonce: 'n' }))],
    ['another type', () => signed(claimsOf(), 'at+jwt')],
    ['nobody in it', () => signed(claimsOf({ sub: undefined }))],
    ['a sid that is a number', () => signed(claimsOf({ sid: 1 }))],
    ['no token at all', () => 'x'],
  ])('a token with %s ends nothing', async (_what, token) => {
    const me = await signIn('ada')
    const answer = await tell(token())
    expect([answer.status, answer.json()['code']]).toEqual([400, 'logout_token_invalid'])
    expect(await me()).toBe(200)
  })

  test('a token is taken once', async () => {
    const token = await signed(claimsOf())
    expect((await tell(token)).status).toBe(204)
    const me = await signIn('ada')
    expect((await tell(token)).json()['detail']).toContain('it has come before')
    expect(await me()).toBe(200)
  })

  test('a body that is none is refused', async () => {
    const token = await signed(claimsOf())
    expect((await post('')).json()['code']).toBe('logout_token_invalid')
    expect((await post(`logout_token=${token}&logout_token=${token}`)).json()['code']).toBe('logout_token_invalid')
    expect((await post(JSON.stringify({ logout_token: token }), 'application/json')).status).toBe(415)
    expect((await post(`logout_token=${'x'.repeat(70_000)}`)).status).toBe(413)
  })
})

describe('without a provider', () => {
  const gateway = useGateway()
  test('there is no such address', async () => {
    expect((await gateway().send('POST /login/oidc/logout', { anonymous: true })).status).not.toBe(204)
  })
})

test('a session at the provider ends the one that began with it, and those that the provider gave no sid', () => {
  const sessions = new Sessions({ sessionIdleMs: 60_000, sessionLifeMs: 60_000 })
  const person = (subject: string, sid?: string) => ({
    subject,
    name: subject,
    grants: { all: 'reader' } as never,
    sid,
  })
  const begin = (of: ReturnType<typeof person>) => sessions.begin({ person: of, address: undefined }).secret
  const [one, two, without, other] = [person('a', '1'), person('a', '2'), person('a'), person('b', '3')].map(begin)
  const left = () => [one, two, without, other].map((secret) => sessions.find(secret ?? '') !== undefined)
  expect(sessions.endOfPerson({ subject: 'b', sid: '1' })).toEqual([])
  expect(sessions.endOfPerson({ subject: 'a', sid: '1' })).toHaveLength(2)
  expect(left()).toEqual([false, true, false, true])
  expect(sessions.endOfPerson({ sid: '3' })).toHaveLength(1)
  expect(left()).toEqual([false, true, false, false])
})

test('an id may come again when its token is too old anyhow, and memory stays bounded', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const tokens = new LogoutTokens()
  const expected = {
    issuer: provider.issuer,
    keys: `${provider.issuer}/jwks`,
    clientId: 'tessera',
    toleranceSeconds: 30,
  }
  const read = async (jti: string) => tokens.read(await signed(claimsOf({ jti })), expected)
  expect(await read('one')).toEqual({ subject: 'ada' })
  await expect(read('one')).rejects.toThrow('it has come before')
  vi.advanceTimersByTime(10 * 60_000)
  expect(await read('one')).toEqual({ subject: 'ada' })
  vi.useRealTimers()
})

describe('a sign-out here', () => {
  const gateway = useGateway({}, undefined, undefined, () => oidcConfig(provider, grants))

  test('of a person leads to the sign-out at the provider, which knows who it is', async () => {
    const { signIn: enter, visit } = browser(gateway())
    expect((await enter(provider, 'ada')).status).toBe(200)
    const answer = await visit('/api/v1/auth/logout', 'POST')
    expect(answer.status).toBe(200)
    const next = new URL(String(answer.json()['next']))
    expect(next.href.startsWith(`${provider.issuer}/session/end?`)).toBe(true)
    expect([next.searchParams.get('client_id'), next.searchParams.get('post_logout_redirect_uri')]).toEqual([
      CLIENT_ID,
      SIGNED_OUT,
    ])
    expect(decodeJwt(next.searchParams.get('id_token_hint') ?? '')).toMatchObject({ sub: 'ada' })
    // It refuses an address that is not registered, and a token that is not its own.
    expect((await fetch(next)).status).toBe(200)
    next.searchParams.set('post_logout_redirect_uri', 'http://localhost/elsewhere')
    expect((await fetch(next)).status).toBe(400)
    expect((await visit('/api/v1/auth/me')).status).toBe(401)
  })

  test('of the administrator leads nowhere', async () => {
    const { visit } = browser(gateway())
    await visit('/api/v1/auth/login', 'POST', { token: bearer.authorization.slice(7) })
    expect((await visit('/api/v1/auth/me')).status).toBe(200)
    expect((await visit('/api/v1/auth/logout', 'POST')).status).toBe(204)
  })
})
