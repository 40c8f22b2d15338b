// Frames come once a second to those who read; those who do not miss frames, and are dropped in the end.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { MetricsFrame } from '../../src/schemas/server/metrics.js'
import { bearer, TOKEN, useGateway } from '../gateway.js'
import { KernelQueue } from '../../src/live/kernel-queue.js'
import { turnsUntil } from '../turns.js'

interface Frame {
  seq: number
  time: string
  latency?: object[]
  jobs?: object[]
  memory?: object
  health?: object
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
  // A slow reader gets several in one read.
  return seen.slice(0, count)
}

test.each([
  ['0: 0100007F:1CCD 0100007F:C001 01 00004001:00000000 00:0', 16_385],
  ['1: 0000000000000000FFFF00000100007F:1CCD 0000000000000000FFFF00000100007F:C001 01 00000002:00000000 00:0', 2],
  ['0: 0100007F:1CCD 0100007F:C001 01 00000009:0 00:0\n1: 0100007F:1CCD 0200007F:C001 01 00000003:00000000 00:0', 3],
  ['0: 0100007F:1CCD 0100007F:C001 06 00000009:00000000 00:0', 0],
  ['', 0],
])('the operating system tells what it holds: %s', (text, bytes) => {
  expect(new KernelQueue(text).of({ localPort: 7373, remotePort: 49_153 })).toBe(bytes)
})

describe('live', () => {
  const gateway = useGateway()

  const listen = async () => {
    const { app } = gateway()
    if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  }

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

  test('the health of the alerts, as they answer it', async () => {
    const [frame] = await frames(`${await listen()}/api/v1/live?topics=health`, 1)
    expect(Object.keys(frame ?? {}).sort()).toEqual(['durationMs', 'health', 'seq', 'time'])
    expect(frame?.health).toEqual(gateway().app.alerts.health())
  })

  /** A client that reads nothing until it is told to, and the gateway's end of its connection. */
  async function deafClient(): Promise<{ socket: Socket; theirs: Socket }> {
    const url = new URL(await listen())
    const { app } = gateway()
    // Those of the tests before have gone.
    await turnsUntil(() => app.feed.size === 0)
    const accepted = once(app.server, 'connection') as Promise<[Socket]>
    const socket = connect(Number(url.port), url.hostname)
    socket.pause()
    socket.on('error', () => undefined)
    socket.write(`GET /api/v1/live HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`)
    await turnsUntil(() => app.feed.size === 1 && app.live.latest !== undefined)
    return { socket, theirs: (await accepted)[0] }
  }

  /** Publishes frames that fill connections until `holds`. */
  async function publishUntil(holds: () => boolean): Promise<void> {
    const { live } = gateway().app
    const big = { ...(live.latest as MetricsFrame), marks: [{ time: '', kind: 'note', text: 'x'.repeat(500_000) }] }
    await turnsUntil(() => {
      live.publish(big)
      return holds()
    })
  }

  test('a client that does not read misses frames, and catches up when it reads', async () => {
    const { socket, theirs } = await deafClient()
    const { app } = gateway()
    const before = app.feed.skipped
    await publishUntil(() => app.feed.skipped > before)
    let tail = ''
    let caughtUp = false
    socket.on('data', (chunk) => {
      tail = (tail + chunk.toString('latin1')).slice(-chunk.length - 20)
      caughtUp ||= tail.includes('\nid: 4000000000\n')
    })
    socket.resume()
    await turnsUntil(() => theirs.writableLength === 0)
    app.live.publish({ ...(app.live.latest as MetricsFrame), seq: 4_000_000_000, marks: [] })
    await turnsUntil(() => caughtUp)
    expect(app.feed.size).toBe(1)
    socket.destroy()
    await turnsUntil(() => app.feed.size === 0)
  })

  test('a client that goes on not reading is dropped, and the others go on', async () => {
    const { socket } = await deafClient()
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    await publishUntil(() => gateway().app.feed.size === 0)
    socket.resume()
    await closed
    expect((await frames(`${await listen()}/api/v1/live`, 1)).length).toBe(1)
    await turnsUntil(() => gateway().app.feed.size === 0)
  })

  test.runIf(process.platform === 'linux')(
    'clients that never read give their places free within the patience, and those that read keep theirs',
    async () => {
      const url = new URL(await listen())
      const { app } = gateway()
      await turnsUntil(() => app.feed.size === 0)
      const request = `GET /api/v1/live?topics=marks HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`
      const clients = Array.from({ length: 200 }, (_, at) => {
        const socket = connect(Number(url.port), url.hostname)
        socket.on('error', () => undefined)
        if (at === 0) socket.on('data', () => undefined)
        else socket.pause()
        socket.write(request)
        return socket
      })
      onTestFinished(() => clients.forEach((socket) => socket.destroy()))
      await turnsUntil(() => app.feed.size === 200 && app.live.latest !== undefined)
      expect((await fetch(`${url.origin}/api/v1/live`, { headers: bearer })).status).toBe(503)
      const reader = clients[0]?.localPort ?? 0
      const big = {
        ...(app.live.latest as MetricsFrame),
        marks: [{ time: '', kind: 'note', text: 'x'.repeat(50_000) }],
      }
      // What they do not read goes into the buffers of the operating system, and the gateway has none of it.
      await turnsUntil(async () => {
        app.live.publish(big)
        const held = await KernelQueue.read()
        return clients
          .slice(1)
          .every(({ localPort }) => held.of({ localPort: Number(url.port), remotePort: localPort }) > 16_384)
      })
      const before = app.feed.skipped
      const patienceMs = app.config.readerPatienceMs
      app.feed.look(await KernelQueue.read(), 1000)
      expect(app.feed.size).toBe(200)
      await turnsUntil(
        async () => (await KernelQueue.read()).of({ localPort: Number(url.port), remotePort: reader }) === 0,
      )
      app.feed.look(await KernelQueue.read(), 1000 + patienceMs)
      await turnsUntil(() => app.feed.size === 1)
      expect(app.feed.skipped).toBe(before)
      expect((await frames(`${url.origin}/api/v1/live`, 1)).length).toBe(1)
      for (const socket of clients) socket.destroy()
      await turnsUntil(() => app.feed.size === 0)
    },
  )

  test('a frame is made once for all who want the same, and only of jobs that run', async () => {
    const { app } = gateway()
    await gateway().memoryNamespace('n')
    for (let i = 0; i < 500; i += 1) {
      const stream = await app.engine.scan('n', { threads: 1, shape: 'record' })
      while ((await stream.next()) !== null);
    }
    const url = `${await listen()}/api/v1/live`
    const stop = new AbortController()
    const topics = ['', '', '', '', '?topics=jobs,latency', '?topics=latency,jobs', '?namespace=n', '?topics=memory']
    await Promise.all(topics.map((query) => fetch(`${url}${query}`, { headers: bearer, signal: stop.signal })))
    expect(app.feed.size).toBe(8)
    const spies = [vi.spyOn(app.engine, 'jobs'), vi.spyOn(app.engine, 'runningJobs'), vi.spyOn(JSON, 'stringify')]
    app.live.publish({ ...(app.live.latest as MetricsFrame) })
    // Four different selections, one look at the jobs that run, none at the 500 that ended.
    expect(spies.map((spy) => spy.mock.calls.length)).toEqual([0, 1, 4])
    expect((await app.engine.jobs()).items).toHaveLength(500)
    for (const spy of spies) spy.mockRestore()
    stop.abort()
    await turnsUntil(() => app.feed.size === 0)
  })

  describe('a stream that a session opened', () => {
    afterEach(() => vi.useRealTimers())

    test.each<[string, (cookie: string) => unknown]>([
      [
        'with its logout',
        (cookie) => gateway().send('POST /api/v1/auth/logout', { anonymous: true, headers: { cookie } }),
      ],
      ['an hour after its last use', () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60 * 60_000 })],
    ])('ends %s, and the one of the token goes on', async (_when, endSession) => {
      const url = `${await listen()}/api/v1/live?topics=jobs`
      const { app } = gateway()
      const { secret } = app.sessions.begin({ address: '127.0.0.1' })
      const cookie = `tessera_session_${app.access.id}=${secret}`
      const stop = new AbortController()
      const others = await fetch(url, { headers: bearer, signal: stop.signal })
      const ours = await fetch(url, { headers: { cookie } })
      expect([others.status, ours.status]).toEqual([200, 200])
      const reading = ours.text()
      await turnsUntil(() => app.feed.size === 2 && app.live.latest !== undefined)
      await endSession(cookie)
      expect(await reading).toContain('event: frame')
      await turnsUntil(() => app.feed.size === 1)
      const before = app.live.latest?.seq
      await turnsUntil(() => app.live.latest?.seq !== before)
      expect(app.feed.size).toBe(1)
      stop.abort()
      await turnsUntil(() => app.feed.size === 0)
      expect((await fetch(url, { headers: { cookie } })).status).toBe(401)
    })
  })

  test('a stream that an API token opened ends when it is revoked', async () => {
    const url = `${await listen()}/api/v1/live?topics=jobs`
    const { app, ok } = gateway()
    const body = { name: 'watcher', grants: [{ role: 'reader' }] }
    const { id, token } = await ok<{ id: string; token: string }>('POST /api/v1/tokens', { body })
    const ours = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    const reading = ours.text()
    await turnsUntil(() => app.feed.size === 1 && app.live.latest !== undefined)
    await ok(`DELETE /api/v1/tokens/${id}`)
    expect(await reading).toContain('event: frame')
    await turnsUntil(() => app.feed.size === 0)
  })

  test.each([
    ['gets other grants', { grants: [{ role: 'writer' }] }],
    ['is disabled', { disabled: true }],
  ])('a stream of a user ends when the user %s', async (how, body) => {
    const url = `${await listen()}/api/v1/live?topics=jobs`
    const { app, ok } = gateway()
    const name = `watcher-${how.slice(0, 2)}`
    const password = 'correct horse battery staple'
    await app.users.create({ name, grants: [{ role: 'reader' }], password }, 'token')
    const stamp = (await app.users.stampOf(name, password)) ?? ''
    const { secret } = app.sessions.begin({ address: '127.0.0.1', user: { name, stamp } })
    const ours = await fetch(url, { headers: { cookie: `tessera_session_${app.access.id}=${secret}` } })
    expect(ours.status).toBe(200)
    const reading = ours.text()
    await turnsUntil(() => app.feed.size === 1 && app.live.latest !== undefined)
    await ok(`PATCH /api/v1/users/${name}`, { body })
    expect(await reading).toContain('event: frame')
    await turnsUntil(() => app.feed.size === 0)
  })

  test('closing the server ends the streams', async () => {
    const origin = await listen()
    const response = await fetch(`${origin}/api/v1/live`, { headers: bearer })
    const reading = response.text()
    await gateway().app.close()
    expect(await reading).toContain('event: frame')
  })
})
