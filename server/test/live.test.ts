// Frames come once a second to those who read, and those who do not are dropped.
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { MetricsFrame } from '../src/schemas/metrics.js'
import { bearer, TOKEN, useGateway } from './gateway.js'
import { turnsUntil } from './turns.js'

interface Frame {
  seq: number
  time: string
  latency?: object[]
  jobs?: object[]
  memory?: object
}

/** Reads `count` events of a stream, then hangs up. */
async function frames(url: string, count: number): Promise<Frame[]> {
  const stop = new AbortController()
  const response = await fetch(url, { headers: bearer, signal: stop.signal })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const seen: Frame[] = []
  let text = ''
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString()
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^event: frame\nid: \d+\ndata: (.*)$/.exec(text.slice(0, end))?.[1]
      text = text.slice(end + 2)
      if (data !== undefined) seen.push(JSON.parse(data) as Frame)
    }
    if (seen.length >= count) break
  }
  stop.abort()
  return seen
}

describe('live', () => {
  const gateway = useGateway()

  const listen = async () => {
    const { app } = gateway()
    if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  }

  /** Listeners that are there without any client. */
  let idle: number
  beforeAll(() => {
    idle = gateway().app.live.listeners
  })

  test('frames follow each other', async () => {
    const [first, second] = await frames(`${await listen()}/api/v1/live`, 2)
    expect(second?.seq).toBe((first?.seq ?? 0) + 1)
    expect(first).toMatchObject({
      latency: expect.any(Array) as unknown,
      jobs: expect.any(Array) as unknown,
      memory: {},
    })
  })

  test('only the topics that were asked for', async () => {
    const [frame] = await frames(`${await listen()}/api/v1/live?topics=jobs`, 1)
    expect(Object.keys(frame ?? {}).sort()).toEqual(['durationMs', 'jobs', 'seq', 'time'])
  })

  test('a client that does not read is dropped, and the others go on', async () => {
    const url = new URL(await listen())
    const { app } = gateway()
    const socket = connect(Number(url.port), url.hostname)
    socket.pause()
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => resolve())
      socket.once('error', () => undefined)
    })
    socket.write(`GET /api/v1/live HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`)
    await frames(`${url.origin}/api/v1/live`, 1)
    await turnsUntil(() => app.live.listeners === idle + 1)
    const big = { ...(app.live.latest as MetricsFrame), marks: [{ time: '', kind: 'note', text: 'x'.repeat(500_000) }] }
    await turnsUntil(() => {
      app.live.publish(big)
      return app.live.listeners === idle
    })
    socket.resume()
    await closed
    expect((await frames(`${url.origin}/api/v1/live`, 1)).length).toBe(1)
  })

  describe('a stream that a session opened', () => {
    afterEach(() => vi.useRealTimers())

    test.each<[string, (cookie: string) => unknown]>([
      [
        'with its logout',
        (cookie) => gateway().send('POST /api/v1/auth/logout', { anonymous: true, headers: { cookie } }),
      ],
      ['after its twelve hours', () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12 * 60 * 60_000 })],
    ])('ends %s, and the one of the token goes on', async (_when, endSession) => {
      const url = `${await listen()}/api/v1/live?topics=jobs`
      const { app } = gateway()
      const cookie = `tessera_session=${app.access.newSession().secret}`
      const stop = new AbortController()
      const others = await fetch(url, { headers: bearer, signal: stop.signal })
      const ours = await fetch(url, { headers: { cookie } })
      expect([others.status, ours.status]).toEqual([200, 200])
      const reading = ours.text()
      await turnsUntil(() => app.live.listeners === idle + 2 && app.live.latest !== undefined)
      await endSession(cookie)
      expect(await reading).toContain('event: frame')
      await turnsUntil(() => app.live.listeners === idle + 1)
      const before = app.live.latest?.seq
      await turnsUntil(() => app.live.latest?.seq !== before)
      expect(app.live.listeners).toBe(idle + 1)
      stop.abort()
      await turnsUntil(() => app.live.listeners === idle)
      expect((await fetch(url, { headers: { cookie } })).status).toBe(401)
    })
  })

  test('closing the server ends the streams', async () => {
    const origin = await listen()
    const response = await fetch(`${origin}/api/v1/live`, { headers: bearer })
    const reading = response.text()
    await gateway().app.close()
    expect(await reading).toContain('event: frame')
  })
})
