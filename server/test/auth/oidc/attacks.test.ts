// What an attacker, a broken provider, or a provider that is down can do to a sign-in.
import { decodeJwt, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Provider } from '../../../src/auth/oidc/provider.js'
import { useGateway } from '../../gateway.js'
import { TestProvider } from './test-provider.js'
import { browser, oidcConfig } from './visitor.js'
import { stillTime } from '../../still-time.js'

const provider = await TestProvider.open()
const other = await TestProvider.open()
afterAll(async () => {
  await provider.close()
  await other.close()
})
provider.groups.set('ada', ['all'])
other.groups.set('ada', ['all'])

const HERE = 'http://localhost'
const grants = { claim: 'groups', grants: { all: [{ role: 'reader' }] } }
const failed = (code: string) => [303, `/login?failed=${code}`]

/** The same token with other claims, signed by the provider all the same. */
const signed = (change: (claims: JWTPayload) => JWTPayload) => (token: string) =>
  new SignJWT(change(decodeJwt(token))).setProtectedHeader({ alg: 'RS256', kid: 'first' }).sign(provider.key.sign)

describe('a sign-in by a provider', () => {
  const gateway = useGateway({}, undefined, undefined, () => oidcConfig(provider, grants))
  beforeEach(() => {
    // Those that are wrong here would have to wait.
    vi.spyOn(gateway().app.guesses, 'code').mockImplementation((_address, find) => find())
  })
  afterEach(() => {
    provider.tamper = undefined
    provider.instead.clear()
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  /** Goes through the provider, and comes back with what `change` makes of it. */
  const comeBack = async (change: (back: URL) => void = () => undefined) => {
    const { visit, begin, cookie } = browser(gateway())
    const back = new URL(await provider.passThrough(await begin(), 'ada'))
    change(back)
    const answer = await visit(back.href.replace(HERE, ''))
    const me = await visit('/api/v1/auth/me')
    return { answer: [answer.status, answer.headers['location']], signedIn: me.status === 200, back, cookie }
  }

  test('works if nobody does anything to it', async () => {
    expect(await comeBack()).toMatchObject({ answer: [200, undefined], signedIn: true })
  })

  test.each<[string, (back: URL) => void, string]>([
    ['another state', (back) => back.searchParams.set('state', 'x'.repeat(43)), 'oidc_expired'],
    ['no state', (back) => back.searchParams.delete('state'), 'oidc_expired'],
    ['two states', (back) => back.searchParams.append('state', 'x'.repeat(43)), 'oidc_invalid'],
    ['another code', (back) => back.searchParams.set('code', 'guessed'), 'oidc_invalid'],
    ['no code', (back) => back.searchParams.delete('code'), 'oidc_invalid'],
    ['another issuer', (back) => back.searchParams.set('iss', other.issuer), 'oidc_invalid'],
    ['no issuer', (back) => back.searchParams.delete('iss'), 'oidc_invalid'],
    ['an error of the provider', (back) => back.searchParams.set('error', 'access_denied'), 'oidc_refused'],
  ])('%s is refused', async (_what, change, code) => {
    expect(await comeBack(change)).toMatchObject({ answer: failed(code), signedIn: false })
  })

  test.each<[string, (token: string) => Promise<string>]>([
    ['another nonce', signed((claims) => ({ ...claims, nonce: 'x'.repeat(43) }))],
    ['no nonce', signed((claims) => ({ ...claims, nonce: undefined }))],
    ['another audience', signed((claims) => ({ ...claims, aud: 'other' }))],
    [
      'several audiences, and another one meant',
      signed((claims) => ({ ...claims, aud: ['tessera', 'other'], azp: 'other' })),
    ],
    ['another issuer', signed((claims) => ({ ...claims, iss: other.issuer }))],
    ['a time that is over', signed((claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 120 }))],
    ['an empty subject', signed((claims) => ({ ...claims, sub: '' }))],
    ['no signature', async (token) => new UnsecuredJWT(decodeJwt(token)).encode()],
    [
      'the signature of another key',
      async (token) => {
        const { privateKey } = await generateKeyPair('RS256')
        return new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'RS256', kid: 'first' }).sign(privateKey)
      },
    ],
    [
      'a signature by the secret of the client',
      (token) =>
        new SignJWT(decodeJwt(token))
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode('a-secret-of-the-client-0123456789')),
    ],
    [
      'claims that were changed',
      async (token) => {
        const [head = '', , signature = ''] = token.split('.')
        const claims = JSON.stringify({ ...decodeJwt(token), groups: ['all', 'admins'] })
        return [head, Buffer.from(claims).toString('base64url'), signature].join('.')
      },
    ],
  ])('a token with %s is refused', async (_what, tamper) => {
    provider.tamper = tamper
    const { answer, signedIn } = await comeBack()
    expect([answer, signedIn]).toEqual([failed('oidc_invalid'), false])
  })

  test('a text of the caller does not reach the log', async () => {
    const warn = vi.spyOn(gateway().app.log, 'warn')
    const change = (error: string) => (back: URL) => {
      back.searchParams.set('error', error)
      back.searchParams.set('error_description', 'written by the caller')
    }
    expect(await comeBack(change('of the caller'))).toMatchObject({ answer: failed('oidc_refused') })
    expect(await comeBack(change('access_denied'))).toMatchObject({ answer: failed('oidc_refused') })
    const told = warn.mock.calls.map(([failure]) => (failure as unknown as { told: string }).told)
    expect(told).toEqual(['another error', 'access_denied'])
    expect(JSON.stringify(warn.mock.calls)).not.toContain('caller')
  })

  test('a code works once, also with the cookie of the time before', async () => {
    const { visit, begin, cookie } = browser(gateway())
    const back = (await provider.passThrough(await begin(), 'ada')).replace(HERE, '')
    const held = cookie()
    expect((await visit(back)).status).toBe(200)
    expect((await visit(back)).headers['location']).toBe('/login?failed=oidc_expired')
    const replayed = await gateway().send(`GET ${back}`, { anonymous: true, headers: { cookie: held } })
    expect(replayed.headers['location']).toBe('/login?failed=oidc_invalid')
    expect(String(replayed.headers['set-cookie'])).not.toContain('tessera_session')
  })

  test('a return in another browser signs nobody in', async () => {
    const [victim, attacker] = [browser(gateway()), browser(gateway())]
    const back = (await provider.passThrough(await attacker.begin(), 'ada')).replace(HERE, '')
    expect((await victim.visit(back)).headers['location']).toBe('/login?failed=oidc_expired')
    await victim.begin()
    expect((await victim.visit(back)).headers['location']).toBe('/login?failed=oidc_expired')
    expect((await victim.visit('/api/v1/auth/me')).status).toBe(401)
  })

  test('a return after ten minutes is too late', async () => {
    const { visit, begin, cookie } = browser(gateway())
    const back = (await provider.passThrough(await begin(), 'ada')).replace(HERE, '')
    expect(cookie()).toContain('tessera_flow_')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 })
    expect((await visit(back)).headers['location']).toBe('/login?failed=oidc_expired')
  })

  test('a provider leads to no other address than the one that was registered', async () => {
    const { begin } = browser(gateway())
    const url = new URL(await begin())
    url.searchParams.set('redirect_uri', 'http://evil.example/')
    await expect(provider.passThrough(url.href, 'ada')).rejects.toThrow('the provider answers 400')
    const asEvil = await gateway().send('GET /login/oidc', { anonymous: true, headers: { host: 'evil.example' } })
    await expect(provider.passThrough(asEvil.headers['location'] ?? '', 'ada')).rejects.toThrow(
      'the provider answers 400',
    )
  })

  test('keys that the provider has changed are taken', async () => {
    expect((await comeBack()).signedIn).toBe(true)
    await provider.rotate('second')
    // Keys are looked for at most once a minute.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 90_000 })
    expect(await comeBack()).toMatchObject({ answer: [200, undefined], signedIn: true })
  })

  test('HEAD uses nothing up', async () => {
    const { begin, cookie, visit } = browser(gateway())
    const back = (await provider.passThrough(await begin(), 'ada')).replace(HERE, '')
    await gateway().send(`HEAD ${back}`, { anonymous: true, headers: { cookie: cookie() } })
    expect((await visit(back)).status).toBe(200)
  })

  test('wrong codes count as wrong credentials of the address', async () => {
    vi.restoreAllMocks()
    stillTime()
    const remoteAddress = '192.0.2.77'
    const { begin, cookie } = browser(gateway())
    const state = new URL(await begin()).searchParams.get('state') ?? ''
    const locations: unknown[] = []
    provider.asked.length = 0
    for (let guess = 0; guess < 15; guess += 1) {
      const url = `/login/oidc/callback?code=${guess}&state=${state}&iss=${encodeURIComponent(provider.issuer)}`
      const { headers } = await gateway().app.inject({ url, remoteAddress, headers: { cookie: cookie() } })
      locations.push(headers.location)
    }
    expect(locations.slice(0, 10)).toEqual(Array(10).fill('/login?failed=oidc_invalid'))
    expect(locations.slice(10)).toEqual(Array(5).fill('/login?failed=too_many_logins'))
    expect(provider.asked.filter((path) => path === '/token')).toHaveLength(10)
  })
})

describe('a provider that does not answer as it should', () => {
  const METADATA = '/.well-known/openid-configuration'
  const asking = () => new Provider(oidcConfig(provider, grants), () => undefined)
  const begin = (asked: Provider) => asked.begin('http://localhost/login/oidc/callback', '/')
  afterEach(() => {
    provider.instead.clear()
    vi.useRealTimers()
  })

  test.each([
    ['an error', { status: 500, body: '{}' }],
    ['no JSON', { status: 200, body: '<html>' }],
    ['another issuer', { status: 200, body: JSON.stringify({ issuer: 'https://evil.example' }) }],
    ['too much', { status: 200, body: `{"issuer":"${'x'.repeat(2_000_000)}"}` }],
    ['no address to go to', { status: 200, body: JSON.stringify({ issuer: provider.issuer }) }],
  ])('%s is told as such', async (_what, answer) => {
    provider.instead.set(METADATA, answer)
    await expect(begin(asking())).rejects.toMatchObject({ code: 'oidc_unavailable' })
  })

  test('is not asked again for some seconds, and is then', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const asked = asking()
    provider.instead.set(METADATA, { status: 500, body: '{}' })
    provider.asked.length = 0
    for (let n = 0; n < 5; n += 1) await expect(begin(asked)).rejects.toMatchObject({ code: 'oidc_unavailable' })
    expect(provider.asked).toEqual([METADATA])
    provider.instead.clear()
    vi.advanceTimersByTime(6000)
    expect((await begin(asked)).url.href).toContain(`${provider.issuer}/auth?`)
  })

  test('many who sign in at once ask it once for what it says about itself', async () => {
    const asked = asking()
    provider.asked.length = 0
    const all = await Promise.allSettled(Array.from({ length: 40 }, () => begin(asked)))
    expect(provider.asked).toEqual([METADATA])
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(32)
    expect(all.at(-1)).toMatchObject({ reason: { code: 'overloaded' } })
  })
})

describe('a provider that is down', () => {
  const down = { issuer: 'http://127.0.0.1:9' } as TestProvider
  const gateway = useGateway({}, undefined, undefined, () => oidcConfig(down, grants))

  test('keeps nobody from starting the server, or from signing in with a token', async () => {
    const answer = await gateway().send('GET /login/oidc', { anonymous: true })
    expect([answer.status, answer.headers['location']]).toEqual(failed('oidc_unavailable'))
    const body = { token: 'T'.repeat(43) }
    expect((await gateway().send('POST /api/v1/auth/login', { anonymous: true, body })).status).toBe(201)
  })
})
