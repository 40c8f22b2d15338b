// Limits of API tokens and users over REST: what is refused, with what headers, and how they are changed.
import { readFile } from 'node:fs/promises'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { useGateway } from '../gateway.js'
import { stillTime } from '../still-time.js'

interface Made {
  id: string
  token: string
}

const PASSWORD = 'correct horse battery staple'
const LINE = 'GET /api/v1/auth/me'
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

// Nobody gets another request by being slow.
beforeEach(stillTime)

describe('with limits of their own', () => {
  const gateway = useGateway()
  const make = (name: string, limits?: object) =>
    gateway().ok<Made>('POST /api/v1/tokens', {
      body: { name, grants: [{ role: 'reader' }], ...(limits !== undefined && { limits }) },
    })

  test('a token is refused beyond its burst, and told how long to wait', async () => {
    const { send } = gateway()
    const { token } = await make('bursty', { requestsPerSecond: 1, burst: 3 })
    const answers = []
    for (let n = 0; n < 4; n += 1) answers.push(await send(LINE, as(token)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(answers[0]?.headers).toMatchObject({ 'ratelimit-policy': '"requests";q=3;w=3' })
    expect(answers.map(({ headers }) => headers['ratelimit'])).toEqual([
      '"requests";r=2;t=1',
      '"requests";r=1;t=2',
      '"requests";r=0;t=3',
      '"requests";r=0;t=3',
    ])
    expect(answers[3]?.headers['retry-after']).toBe('1')
    expect(answers[3]?.json()).toMatchObject({
      code: 'too_many_requests',
      retryable: true,
      detail: 'token:bursty may send 1 requests a second, in bursts of 3; wait 1 s',
    })
    const status = await gateway().ok<{ gateway: { limitedRequests: number } }>('GET /api/v1/status')
    expect(status.gateway.limitedRequests).toBe(1)
  })

  test('one without a limit has none of the headers, nor has the administrator token', async () => {
    const { send } = gateway()
    const { token } = await make('free')
    for (const options of [as(token), {}]) {
      const { status, headers } = await send(LINE, options)
      expect([status, headers['ratelimit'], headers['ratelimit-policy']]).toEqual([200, undefined, undefined])
    }
  })

  test('the compatible API says it in its own form', async () => {
    const { send } = gateway()
    const { token } = await make('old-client', { requestsPerSecond: 1 })
    expect((await send('GET /v1/cluster', as(token))).status).toBe(200)
    const refused = await send('GET /v1/cluster', as(token))
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    expect(refused.json()).toMatchObject({ inDoubt: false, message: expect.stringContaining('old-client') })
  })

  test('a write beyond the limit stores nothing', async () => {
    const { ok, send } = gateway()
    await gateway().memoryNamespace('shop')
    const { token } = await ok<Made>('POST /api/v1/tokens', {
      body: { name: 'loader', grants: [{ role: 'writer' }], limits: { requestsPerSecond: 1 } },
    })
    const put = (key: string) =>
      send(`PUT /api/v1/namespaces/shop/sets/s/records/${key}`, { ...as(token), body: { a: 1 } })
    expect((await put('first')).status).toBe(201)
    expect((await put('second')).status).toBe(429)
    expect(await ok('GET /api/v1/namespaces/shop/size')).toMatchObject({ records: 1 })
  })

  test('what is refused for its role counts too', async () => {
    const { send } = gateway()
    const { token } = await make('curious', { requestsPerSecond: 1 })
    expect((await send('GET /api/v1/tokens', as(token))).status).toBe(403)
    expect((await send('GET /api/v1/tokens', as(token))).status).toBe(429)
  })

  test('they are changed while the token is used, taken away, and kept in the file', async () => {
    const { send, ok, directory } = gateway()
    const { id, token } = await make('changing', { requestsPerSecond: 1 })
    expect(await ok(`GET /api/v1/tokens/${id}`)).toMatchObject({ limits: { requestsPerSecond: 1 } })
    await send(LINE, as(token))
    expect((await send(LINE, as(token))).status).toBe(429)
    expect(
      await ok(`PATCH /api/v1/tokens/${id}`, { body: { limits: { requestsPerSecond: 1, burst: 9 } } }),
    ).toMatchObject({ name: 'changing', limits: { requestsPerSecond: 1, burst: 9 } })
    expect((await send(LINE, as(token))).headers['ratelimit-policy']).toBe('"requests";q=9;w=9')
    expect(JSON.parse(await readFile(join(directory, 'access', 'tokens.json'), 'utf8'))).toMatchObject({
      body: {
        tokens: expect.arrayContaining([expect.objectContaining({ limits: { requestsPerSecond: 1, burst: 9 } })]),
      },
    })
    await ok(`PATCH /api/v1/tokens/${id}`, { body: { limits: {} } })
    const { status, headers } = await send(LINE, as(token))
    expect([status, headers['ratelimit']]).toEqual([200, undefined])
  })

  test('a user has them in all sessions together', async () => {
    const { send, ok } = gateway()
    const body = {
      name: 'ada',
      grants: [{ role: 'reader' }],
      password: PASSWORD,
      limits: { requestsPerSecond: 1, burst: 2 },
    }
    expect(await ok('POST /api/v1/users', { body })).toMatchObject({ limits: { requestsPerSecond: 1, burst: 2 } })
    const signIn = async () => {
      const answer = await send('POST /api/v1/auth/login', {
        anonymous: true,
        body: { user: 'ada', password: PASSWORD },
      })
      return { anonymous: true, headers: { cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '' } }
    }
    const [first, second] = [await signIn(), await signIn()]
    expect((await send(LINE, first)).status).toBe(200)
    expect((await send(LINE, second)).status).toBe(200)
    expect((await send(LINE, first)).json()).toMatchObject({ code: 'too_many_requests' })
    await ok('PATCH /api/v1/users/ada', { body: { limits: { requestsPerSecond: 0 } } })
    expect((await send(LINE, second)).status).toBe(200)
  })

  test('as many requests are at work as the limit says, and a client that goes away leaves', async () => {
    const { app, send } = gateway()
    const { token } = await make('parallel', { requestsAtOnce: 1 })
    const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    expect((app.server.address() as AddressInfo).port).toBe(Number(url.port))
    const socket = connect(Number(url.port), url.hostname)
    socket.write(`GET /api/v1/live HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
    await once(socket, 'data')
    const refused = await send(LINE, as(token))
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    expect(refused.json()).toMatchObject({ detail: 'token:parallel may send 1 requests at the same time; wait 1 s' })
    socket.destroy()
    await vi.waitFor(async () => expect((await send(LINE, as(token))).status).toBe(200))
    // One after the other is never too many.
    expect((await send(LINE, as(token))).status).toBe(200)
  })
})

describe('with limits of the configuration', () => {
  const gateway = useGateway({ callerRequestsPerSecond: 1, callerBurst: 2 })

  test('they hold for whom has none, and others have their own', async () => {
    const { send, ok } = gateway()
    const make = (name: string, limits: object) =>
      ok<Made>('POST /api/v1/tokens', { body: { name, grants: [{ role: 'reader' }], ...limits } })
    const [usual, more, free] = [
      await make('usual', {}),
      await make('more', { limits: { requestsPerSecond: 100 } }),
      await make('free', { limits: { requestsPerSecond: 0 } }),
    ]
    const policy = async ({ token }: Made) => (await send(LINE, as(token))).headers['ratelimit-policy']
    expect(await policy(usual)).toBe('"requests";q=2;w=2')
    expect(await policy(more)).toBe('"requests";q=100;w=1')
    expect(await policy(free)).toBeUndefined()
    await send(LINE, as(usual.token))
    expect((await send(LINE, as(usual.token))).status).toBe(429)
  })

  test('the administrator token and health have none', async () => {
    const { send } = gateway()
    const statuses = new Set<number>()
    for (let n = 0; n < 5; n += 1) {
      statuses.add((await send(LINE)).status)
      statuses.add((await send('GET /healthz', { anonymous: true })).status)
    }
    expect([...statuses]).toEqual([200])
  })
})
