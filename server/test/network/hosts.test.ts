// Names that requests may call the server by, and proxies that are believed.
import { describe, expect, test } from 'vitest'
import { useGateway } from '../gateway.js'

describe('a server with names', () => {
  const gateway = useGateway({ hosts: ['db.example.com', '[::1]'] })
  const status = async (host: string, path = '/api/v1/status') =>
    (await gateway().send(`GET ${path}`, { headers: { host } })).status

  test('answers to them alone, whatever the port and the case', async () => {
    expect(
      await Promise.all(['db.example.com', 'DB.Example.com:7373', '[::1]:7373'].map((host) => status(host))),
    ).toEqual([200, 200, 200])
    const others = ['evil.example', 'db.example.com.evil.example', 'localhost', '127.0.0.1:7373', '::1']
    expect(await Promise.all(others.map((host) => status(host)))).toEqual(others.map(() => 403))
  })

  test('tells why, on pages too, before it looks at credentials', async () => {
    const answer = await gateway().send('GET /api/v1/status', { anonymous: true, headers: { host: 'evil.example' } })
    expect(answer.json()).toMatchObject({ code: 'host_refused', detail: expect.stringContaining('"evil.example"') })
    expect(await status('evil.example', '/login')).toBe(403)
  })

  test('answers probes of health by any', async () => {
    expect(await Promise.all(['/healthz', '/readyz'].map((path) => status('10.1.2.3', path)))).toEqual([200, 200])
  })

  test('does not believe what somebody who is no proxy forwards', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'db.example.com' }
    expect((await gateway().send('GET /api/v1/status', { headers })).status).toBe(403)
  })
})

describe('a server without names, behind a proxy', () => {
  const gateway = useGateway({ trustedProxies: ['127.0.0.0/8'] })
  const linked = (headers: Record<string, string>) => gateway().send('POST /api/v1/auth/login', { headers })

  test('links to nothing but itself over HTTP', async () => {
    const script = await linked({ 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'db.example.com:8443' })
    expect(script.json()['url']).toMatch(/^http:\/\/db\.example\.com:8443\/login\?code=/)
    for (const host of ['evil.example"><x', 'a/b', 'a@b', 'a b', '', '[::1]x', 'a:99999'])
      expect((await linked({ 'x-forwarded-host': `x,${host}` })).json(), host).toMatchObject({ code: 'host_refused' })
    expect((await linked({ host: '[::1]:7373' })).status).toBe(201)
  })
})

describe('a server behind a proxy', () => {
  const gateway = useGateway({ hosts: ['db.example.com'], trustedProxies: ['127.0.0.0/8'] })

  test('is called what the proxy is called, and links to it', async () => {
    const headers = { host: '10.0.0.1', 'x-forwarded-host': 'db.example.com', 'x-forwarded-proto': 'https' }
    const { url } = await gateway().ok<{ url: string }>('POST /api/v1/auth/login', { headers })
    expect(url).toMatch(/^https:\/\/db\.example\.com\/login\?code=/)
    expect((await gateway().send('GET /api/v1/status', { headers: { host: '10.0.0.1' } })).status).toBe(403)
  })

  test('lets nobody guess faster by a port behind the address', async () => {
    const guess = async (at: number) => {
      const headers = {
        host: 'db.example.com',
        'x-forwarded-for': `203.0.113.9:${40_000 + at}`,
        authorization: `Bearer tsr_${at}`,
      }
      return (await gateway().send('GET /api/v1/status', { headers })).status
    }
    const statuses: number[] = []
    for (let at = 0; at < 12; at += 1) statuses.push(await guess(at))
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401))
    expect(statuses.slice(10)).toContain(429)
  })
})
