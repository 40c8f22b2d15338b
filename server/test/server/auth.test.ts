// Nothing answers without credentials, and a browser's session cannot be used from another site.
import { describe, expect, test } from 'vitest'
import { type Gateway, TOKEN, useGateway } from '../gateway.js'
import { stillTime } from '../still-time.js'

const cookieOf = (header: string | undefined) => header?.split(';')[0] ?? ''

async function startSession(gateway: Gateway): Promise<string> {
  const { url } = await gateway.ok<{ url: string }>('POST /api/v1/auth/login')
  const answer = await gateway.send(`GET ${new URL(url).pathname}${new URL(url).search}`, { anonymous: true })
  expect(answer.status).toBe(303)
  return cookieOf(answer.headers['set-cookie'])
}

describe('access', () => {
  const gateway = useGateway()

  test.each(['/healthz', '/readyz'])('%s needs no credentials', async (path) => {
    expect((await gateway().send(`GET ${path}`, { anonymous: true })).status).toBe(200)
  })

  test.each(['/api/v1/status', '/metrics', '/docs/errors', '/api/v1/openapi.json', '/v1/cluster', '/api/v1/live'])(
    '%s does',
    async (path) => {
      const answer = await gateway().send(`GET ${path}`, { anonymous: true })
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toContain('Bearer')
    },
  )

  test.each(['/docs/errors', '/docs/errors?x=1'])('%s leads a browser to the sign-in page, and back', async (path) => {
    const { send } = gateway()
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const answer = await send(`GET ${path}`, { anonymous: true, headers: { accept } })
    expect([answer.status, answer.headers['location']]).toEqual([303, `/login?next=${encodeURIComponent(path)}`])
    expect(answer.headers['cache-control']).toBe('no-store')
    const refused = { accept, authorization: 'Bearer wrong' }
    expect((await send(`GET ${path}`, { anonymous: true, headers: refused })).status).toBe(401)
  })

  test('no address of the API leads to the sign-in page', async () => {
    const answer = await gateway().send('GET /api/v1/status', { anonymous: true, headers: { accept: 'text/html' } })
    expect(answer.status).toBe(401)
  })

  test('the token works as Bearer; on /v1 and /v2 also as the password of Basic', async () => {
    const { send } = gateway()
    const basic = { authorization: `Basic ${Buffer.from(`admin:${TOKEN}`).toString('base64')}` }
    expect((await send('GET /api/v1/status')).status).toBe(200)
    expect((await send('GET /v1/cluster', { headers: basic })).status).toBe(200)
    const operations = {
      body: '{"opsList":[{"type":"GET"}]}',
      headers: { ...basic, 'content-type': 'application/json' },
    }
    expect((await send('POST /v2/operate/absent/k', operations)).status).toBe(404)
    expect((await send('GET /v2/nothing', { anonymous: true })).status).toBe(404)
    expect((await send('GET /api/v1/status', { headers: basic })).json()).toMatchObject({ code: 'auth_invalid' })
  })

  test('a login link starts a session once', async () => {
    const { send, ok } = gateway()
    const { url, expiresAt } = await ok<{ url: string; expiresAt: string }>('POST /api/v1/auth/login')
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now())
    const path = `${new URL(url).pathname}${new URL(url).search}`
    const first = await send(`GET ${path}`, { anonymous: true })
    expect(first.headers).toMatchObject({ location: '/' })
    expect(first.headers['set-cookie']).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/)
    const cookie = cookieOf(first.headers['set-cookie'])
    expect((await send('GET /api/v1/auth/me', { anonymous: true, headers: { cookie } })).json()).toMatchObject({
      method: 'session',
    })
    expect((await send(`GET ${path}`, { anonymous: true })).json()).toMatchObject({
      code: 'login_code_invalid',
      status: 401,
    })
    const page = await send(`GET ${path}`, { anonymous: true, headers: { accept: 'text/html,*/*' } })
    expect([page.status, page.headers['location']]).toEqual([303, '/login?failed=login_code_invalid'])
  })

  test('a look at a login link with HEAD does not use it up', async () => {
    const { send, ok } = gateway()
    const { url } = await ok<{ url: string }>('POST /api/v1/auth/login')
    const path = `${new URL(url).pathname}${new URL(url).search}`
    const look = await send(`HEAD ${path}`, { anonymous: true })
    expect(look.headers['set-cookie']).toBeUndefined()
    expect((await send(`GET ${path}`, { anonymous: true })).headers['set-cookie']).toContain('tessera_session_')
  })

  test('the sign-in form trades the token for a session', async () => {
    const { send } = gateway()
    const answer = await send('POST /api/v1/auth/login', { anonymous: true, body: { token: TOKEN } })
    expect(answer.status).toBe(201)
    const headers = { cookie: cookieOf(answer.headers['set-cookie']) }
    expect((await send('GET /api/v1/status', { anonymous: true, headers })).status).toBe(200)
  })

  test('logging out ends the session', async () => {
    const { send } = gateway()
    const cookie = await startSession(gateway())
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const out = await send('POST /api/v1/auth/logout', { anonymous: true, headers })
    expect(out.status).toBe(204)
    expect(out.headers['set-cookie']).toContain('Max-Age=0')
    expect((await send('GET /api/v1/auth/me', { anonymous: true, headers })).status).toBe(401)
  })

  test.each([
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ origin: 'http://evil.example' }, 403],
    [{ 'sec-fetch-site': 'same-origin' }, 201],
    [{ origin: 'http://localhost:7373', host: 'localhost:7373' }, 201],
  ])('a session changes something only from its own site: %j → %i', async (headers, status) => {
    const { send, ok } = gateway()
    const cookie = await startSession(gateway())
    const body = { name: 'from-browser', storage: { engine: 'memory' } }
    const answer = await send('POST /api/v1/namespaces', { anonymous: true, body, headers: { cookie, ...headers } })
    expect(answer.status).toBe(status)
    expect(answer.text).toContain(status === 201 ? '"name":"from-browser"' : '"code":"origin_refused"')
    if (status === 201) await ok('DELETE /api/v1/namespaces/from-browser')
  })
})

describe('guessing', () => {
  const gateway = useGateway()
  const login = (token: string) => gateway().send('POST /api/v1/auth/login', { anonymous: true, body: { token } })

  test('ends after ten wrong tokens, and the right one still works where it did before', async () => {
    expect((await login(TOKEN)).status).toBe(201)
    stillTime()
    let guesses = 0
    const guess = () => login(`x${(guesses += 1)}`)
    for (let wrong = 0; wrong < 10; wrong += 1) expect((await guess()).status).toBe(401)
    const refused = await guess()
    expect(refused.json()).toMatchObject({ code: 'too_many_logins', retryable: true, status: 429 })
    const wait = Number(refused.headers['retry-after'])
    expect([wait > 0, wait <= 60]).toEqual([true, true])
    expect((await guess()).status).toBe(429)
    expect((await login(TOKEN)).status).toBe(201)
  })
})

describe('--no-auth', () => {
  const gateway = useGateway({ auth: false })
  const local = { host: 'localhost:7373' }

  test('asks for nothing on this machine', async () => {
    const { send } = gateway()
    expect((await send('GET /api/v1/auth/me', { anonymous: true, headers: local })).json()).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      user: 'admin',
      grants: [{ role: 'admin' }],
      method: 'none',
    })
  })

  test('refuses foreign names and foreign sites', async () => {
    const { send } = gateway()
    const rebound = await send('GET /api/v1/status', { anonymous: true, headers: { host: 'rebound.example' } })
    expect(rebound.json()).toMatchObject({ code: 'host_refused', status: 403 })
    const foreign = await send('POST /api/v1/namespaces', {
      anonymous: true,
      body: { name: 'x', storage: { engine: 'memory' } },
      headers: { ...local, origin: 'https://evil.example' },
    })
    expect(foreign.json()).toMatchObject({ code: 'origin_refused' })
  })
})
