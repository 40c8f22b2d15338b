// A server below a path of its host, which a proxy keeps or takes away.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withoutBase } from '../../src/network/base-path.js'
import { TestProvider } from '../auth/oidc/test-provider.js'
import { browser, oidcConfig } from '../auth/oidc/visitor.js'
import { bearer, type Gateway, TOKEN, useGateway } from '../gateway.js'

const BASE = '/apps/tessera'
const provider = await TestProvider.open()
afterAll(() => provider.close())
const alone = useGateway({ basePath: BASE }, undefined, undefined, () =>
  oidcConfig(provider, { claim: 'groups', grants: {} }),
)
const crewed = useGateway({ basePath: BASE, workers: 2 })
let origin = ''

beforeAll(async () => {
  origin = await alone().app.listen({ host: '127.0.0.1', port: 0 })
})

const send = (path: string, init: RequestInit = {}, from = origin) =>
  fetch(from + path, { redirect: 'manual', ...init, headers: { ...bearer, ...init.headers } })

const json = async (path: string, init?: RequestInit): Promise<Record<string, unknown>> =>
  (await (await send(path, init)).json()) as Record<string, unknown>

test('the base is taken away where it ends a part of the path', () => {
  const seen = ['/a', '/a/', '/a?b=/a', '/a/a/b', '/ab', '/b/a', '/', 'http://host/a/b', '/a//b'].map((url) =>
    withoutBase(url, '/a'),
  )
  expect(seen).toEqual(['/', '/', '/?b=/a', '/a/b', '/ab', '/b/a', '/', '/b', '//b'])
})

test.each(['', BASE])('routes are there with the path "%s"', async (path) => {
  const statuses = await Promise.all(['/healthz', '/readyz', '/metrics', '/api/v1/status'].map((at) => send(path + at)))
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

test('what was made, the sign-in and its link lead below the path, also if an answer is sent again', async () => {
  const create = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
    body: JSON.stringify({ name: 'made', storage: { engine: 'memory' } }),
  }
  const first = await send(`${BASE}/api/v1/namespaces`, create)
  const made = [first, await send('/api/v1/namespaces', create)]
  expect(made.map(({ headers }) => headers.get('location'))).toEqual([0, 1].map(() => `${BASE}/api/v1/namespaces/made`))
  expect((await json(`${BASE}/api/v1/auth/login`, { method: 'POST' }))['url']).toMatch(
    new RegExp(`^${origin}${BASE}/login\\?code=`),
  )
  const page = await fetch(`${origin}${BASE}/docs/errors`, { redirect: 'manual', headers: { accept: 'text/html' } })
  expect(page.headers.get('location')).toBe(`${BASE}/login?next=%2Fdocs%2Ferrors`)
})

test('the cookie of a session is for the path alone', async () => {
  const signIn = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: TOKEN }),
  }
  const plain = await send(`${BASE}/api/v1/auth/login`, signIn)
  expect(plain.headers.get('set-cookie')).toMatch(
    /^tessera_session_\w+=\S+ Path=\/apps\/tessera; HttpOnly; SameSite=Strict/,
  )
})

test('a provider leads back below the path', async () => {
  const sent = new URL(await browser(alone()).begin('/jobs'))
  expect(sent.searchParams.get('redirect_uri')).toBe(`http://localhost${BASE}/login/oidc/callback`)
})

test('problems and the document of the API name the path', async () => {
  expect(await json(`${BASE}/api/v1/nothing?x=1`)).toMatchObject({
    type: `${BASE}/docs/errors#route_not_found`,
    instance: `${BASE}/api/v1/nothing`,
  })
  const { servers } = await json(`${BASE}/api/v1/openapi.json`)
  expect(servers).toMatchObject([{ url: BASE }, {}])
})

describe('with workers', () => {
  const at = (gateway: Gateway): string => `http://127.0.0.1:${gateway.port}`

  test('both kinds of threads answer below the path', async () => {
    await crewed().memoryNamespace('ns')
    await crewed().put('ns/sets/s/records/ada', { name: 'Ada' })
    const record = await send(`${BASE}/api/v1/namespaces/ns/sets/s/records/ada`, {}, at(crewed()))
    expect(await record.json()).toMatchObject({ bins: { name: 'Ada' } })
    const missing = await send(`${BASE}/api/v1/namespaces/nope`, {}, at(crewed()))
    expect(await missing.json()).toMatchObject({ instance: `${BASE}/api/v1/namespaces/nope` })
  })
})
