// Pages of other sites: refused by browsers unless their origin is configured, and never with a cookie.
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { bearer, useGateway } from '../gateway.js'

const origin = 'https://app.example.com'
const preflight = {
  'access-control-request-method': 'PUT',
  'access-control-request-headers': 'authorization,if-match',
}
const record = '/api/v1/namespaces/n/sets/s/records/k'
const allowHeaders = (headers: Record<string, unknown>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

describe('without origins', () => {
  const gateway = useGateway()

  test.each<InjectOptions>([
    { method: 'OPTIONS', url: record, headers: { origin, ...preflight } },
    { method: 'GET', url: '/api/v1/status', headers: { origin, ...bearer } },
  ])('no site may call: $method', async (options) => {
    const { headers } = await gateway().app.inject(options)
    expect([allowHeaders(headers), headers.vary]).toEqual([[], undefined])
  })
})

describe('with origins', () => {
  const gateway = useGateway({ corsOrigins: [origin, 'http://localhost:3000'] })
  const ask = (method: 'GET' | 'OPTIONS' | 'PUT', url: string, headers: Record<string, string> = {}) =>
    gateway().app.inject({ method, url, headers })

  test.each([origin, 'http://localhost:3000'])('%s may ask before it sends a change', async (from) => {
    const answer = await ask('OPTIONS', record, { origin: from, ...preflight })
    expect(answer.statusCode).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': from,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': expect.stringContaining('If-Match'),
      'access-control-max-age': '600',
      allow: expect.stringContaining('PUT'),
      vary: 'Origin',
    })
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
  })

  test.each([
    'https://app.example.com.evil.example',
    'https://evil.example',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://APP.example.com',
    'null',
    '*',
    '',
  ])('%j may not', async (from) => {
    for (const answer of [
      await ask('OPTIONS', record, { origin: from, ...preflight }),
      await ask('GET', '/api/v1/status', { origin: from, ...bearer }),
    ])
      expect([allowHeaders(answer.headers), answer.headers.vary]).toEqual([[], 'Origin'])
  })

  test('it reads answers and refusals, with their headers', async () => {
    const good = await ask('GET', '/api/v1/status', { origin, ...bearer })
    const refused = await ask('GET', '/api/v1/status', { origin, authorization: 'Bearer wrong' })
    const unknown = await ask('PUT', '/api/v1/none', { origin, ...bearer })
    expect([good, refused, unknown].map(({ statusCode }) => statusCode)).toEqual([200, 401, 404])
    for (const { headers } of [good, refused, unknown]) {
      expect(headers['access-control-allow-origin']).toBe(origin)
      for (const name of ['ETag', 'Link', 'Server-Timing', 'Retry-After', 'X-Request-Id'])
        expect(String(headers['access-control-expose-headers'])).toContain(name)
    }
  })

  test('a cookie does not count there, and a change with one is refused', async () => {
    const { app } = gateway()
    const { url } = await gateway().ok<{ url: string }>('POST /api/v1/auth/login')
    const session = await app.inject(new URL(url).pathname + new URL(url).search)
    const cookie = String(session.headers['set-cookie']).split(';')[0] ?? ''
    const read = await ask('GET', '/api/v1/status', { origin, cookie })
    expect(read.statusCode).toBe(200)
    expect(read.headers).not.toHaveProperty('access-control-allow-credentials')
    const change = await ask('PUT', record, { origin, cookie, 'sec-fetch-site': 'cross-site' })
    expect(change.json()).toMatchObject({ status: 403, code: 'origin_refused' })
  })

  test.each(['/', '/docs', '/docs/errors', '/login'])('%s is for no other site', async (url) => {
    const { headers } = await ask('GET', url, { origin, ...bearer, accept: 'text/html' })
    expect(allowHeaders(headers)).toEqual([])
    expect(headers['cross-origin-resource-policy']).toBe('same-origin')
  })

  test('an answer that caches keep varies with the origin', async () => {
    const { headers } = await ask('GET', '/api/v1/openapi.json', { origin, ...bearer })
    expect([headers['cache-control'], headers.vary]).toEqual(['private, no-cache', 'Origin, accept-encoding'])
  })

  test('OPTIONS of a program, which is no preflight, names the methods', async () => {
    const answer = await ask('OPTIONS', '/api/v1/status')
    expect([answer.statusCode, answer.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS'])
  })

  test.each([
    ['/', 204],
    ['/login', 204],
    ['/namespaces/demo', 204],
    ['/api/v1/nothing', 404],
  ])('OPTIONS of %s needs no token: %i', async (url, status) => {
    expect((await ask('OPTIONS', url)).statusCode).toBe(status)
  })
})
