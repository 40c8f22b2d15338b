// The scheme by which somebody calls a server behind proxies.
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { bearer, type Gateway, useGateway } from '../gateway.js'
import { overHttp } from '../over-http.js'

const NEAR = '127.0.0.0/8'
const FAR = '203.0.113.1'
const CLIENT = '198.51.100.7'

/** The scheme of the link that a request with these headers is given. */
async function schemeFor({ app }: Gateway, headers: Record<string, string>): Promise<string> {
  const { port } = app.server.address() as AddressInfo
  const asked = { method: 'POST', url: '/api/v1/auth/login', headers: { ...bearer, ...headers } } as const
  const { body } = await overHttp(port, asked)
  return new URL((JSON.parse(body) as { url: string }).url).protocol
}

describe.each([
  ['behind one proxy', [NEAR]],
  ['behind two', [NEAR, FAR]],
] as const)('a server %s', (name, trustedProxies) => {
  const gateway = useGateway({ trustedProxies: [...trustedProxies] })
  beforeAll(() => gateway().app.listen({ host: '127.0.0.1', port: 0 }))
  const schemeOf = (proto: string, proxies = CLIENT) =>
    schemeFor(gateway(), { 'x-forwarded-proto': proto, 'x-forwarded-for': proxies })

  test.each([
    ['https', 'https:'],
    ['HTTPS', 'https:'],
    [' Https\t', 'https:'],
    ['HTTP', 'http:'],
    ['wss', 'http:'],
    ['', 'http:'],
  ])('knows %o', async (proto, scheme) => {
    expect(await schemeOf(proto)).toBe(scheme)
  })

  test('takes the word of a proxy that is believed, and none of what came before it', async () => {
    // The client has written the first itself.
    expect(await schemeOf('https, http')).toBe('http:')
    expect(await schemeOf('http,HTTPS')).toBe('https:')
    expect(await schemeOf('https,http', `${CLIENT}, ${FAR}`)).toBe(name === 'behind two' ? 'https:' : 'http:')
    expect(await schemeOf('https,http,http', `${CLIENT}, ${FAR}`)).toBe('http:')
    expect(await schemeOf('HTTPS', `${CLIENT}, ${FAR}`)).toBe('https:')
  })
})

describe('a server without proxies', () => {
  const gateway = useGateway({})

  beforeAll(() => gateway().app.listen({ host: '127.0.0.1', port: 0 }))

  test('does not believe a scheme', async () => {
    expect(await schemeFor(gateway(), { 'x-forwarded-proto': 'HTTPS' })).toBe('http:')
  })
})
