// Notices reach a real HTTP server, signed; they are tried again, bounded, muted, and survive a restart.
import { createHmac } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createRawServer, type Server as RawServer } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, test } from 'vitest'
import type { AlertOptions } from '../../src/alerts/alerts.js'
import type { StateFile } from '../../src/alerts/kept-state.js'
import { ATTEMPTS_MAX, WAITING_MAX } from '../../src/alerts/webhook/deliveries.js'
import { post } from '../../src/alerts/webhook/post.js'
import type { AlertEvent } from '../../src/schemas/alerts/alerts.js'
import type { AlertRuleSpec } from '../../src/schemas/alerts/rules.js'
import { Bench } from './source.js'

const SECRET = 'a secret of 16 characters or more'.replaceAll(' ', '-')
const rule: AlertRuleSpec = {
  name: 'Large',
  severity: 'critical',
  threshold: { metric: 'namespace.bytes', when: 'above', value: 20, forSeconds: 0, resolveForSeconds: 0 },
}
const large = { sizes: [{ namespace: 'shop', records: 1, bytes: 21 }] }
const small = { sizes: [{ namespace: 'shop', records: 1, bytes: 1 }] }

interface Received {
  headers: IncomingHttpHeaders
  body: string
  notice: AlertEvent & { source: string }
}

const servers: Server[] = []
const rawServers: RawServer[] = []
afterEach(() => {
  for (const server of rawServers.splice(0)) server.close()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A receiver that answers with these statuses, the last one for ever; 0: it never answers. */
async function receiver(...statuses: number[]) {
  const received: Received[] = []
  const listener: RequestListener = (request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      received.push({ headers: request.headers, body, notice: JSON.parse(body) as Received['notice'] })
      const status = statuses[Math.min(received.length, statuses.length) - 1] ?? 200
      if (status !== 0) response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('thanks')
    })
  }
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

/** A receiver that sends the next of these texts to each connection, and closes it. */
async function rawReceiver(...answers: (string | (() => Iterable<string>))[]): Promise<string> {
  const server = createRawServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      const answer = answers.shift() ?? OK
      if (typeof answer === 'string') socket.end(answer)
      else Readable.from(answer()).pipe(socket)
    })
  })
  rawServers.push(server)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

async function bench(url: string, options: Partial<AlertOptions> = {}): Promise<Bench> {
  const it = await new Bench(options).start()
  await it.alerts.rules.setWebhook({ url, secret: SECRET }, 'token', () => undefined)
  await it.alerts.rules.add(rule, 'token')
  return it
}

const newest = (it: Bench) => it.alerts.events()[0]
/** Lets each pause pass as soon as it is there, until the newest notice has ended. Answers the pauses. */
async function untilEnded(it: Bench): Promise<number[]> {
  const pauses: number[] = []
  await expect
    .poll(() => {
      const { next } = it.clock
      if (next !== undefined) {
        pauses.push(next)
        it.clock.pass(next)
      }
      return newest(it)?.delivery?.state
    })
    .not.toBe('waiting')
  return pauses
}

/** As docs/alerts.md says. */
function verified({ headers, body }: Received, secret = SECRET): boolean {
  const [, time = '', signature = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-tessera-signature'])) ?? []
  return createHmac('sha256', secret).update(`${time}.${body}`).digest('hex') === signature
}

describe('a notice', () => {
  test('is sent when an alert fires and when it is resolved, signed', async () => {
    const { url, received } = await receiver()
    const it = await bench(url)
    it.run(1, [], large)
    await untilEnded(it)
    it.run(1, [], small)
    await untilEnded(it)
    expect(received.map(({ notice }) => [notice.source, notice.kind, notice.namespace, notice.value])).toEqual([
      ['tessera', 'firing', 'shop', 21],
      ['tessera', 'resolved', 'shop', 1],
    ])
    expect(received.map((one) => [verified(one), verified(one, `${SECRET}!`)])).toEqual([
      [true, false],
      [true, false],
    ])
    expect(received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-tessera-event': received[0]?.notice.id,
      'x-tessera-attempt': '1',
    })
    expect(it.alerts.events().map(({ delivery }) => delivery)).toEqual([
      { state: 'delivered', attempts: 1, status: 200 },
      { state: 'delivered', attempts: 1, status: 200 },
    ])
  })

  test('is tried again after 500 and 429, with growing pauses and the same id', async () => {
    const { url, received } = await receiver(500, 429, 503, 204)
    const it = await bench(url)
    it.run(1, [], large)
    expect(await untilEnded(it)).toEqual([1000, 2000, 4000])
    expect(newest(it)?.delivery).toEqual({ state: 'delivered', attempts: 4, status: 204 })
    expect(new Set(received.map(({ notice }) => notice.id)).size).toBe(1)
    expect(received.map(({ headers }) => headers['x-tessera-attempt'])).toEqual(['1', '2', '3', '4'])
    expect(received.every((one) => verified(one))).toBe(true)
  })

  test('is given up after its attempts, and the next one is sent', async () => {
    const { url, received } = await receiver(...Array.from({ length: ATTEMPTS_MAX }, () => 500), 200)
    const it = await bench(url)
    it.run(1, [], large)
    expect(await untilEnded(it)).toEqual([1000, 2000, 4000, 8000, 16_000])
    expect(newest(it)?.delivery).toMatchObject({ state: 'failed', attempts: ATTEMPTS_MAX, status: 500 })
    it.run(1, [], small)
    await untilEnded(it)
    expect(received.at(-1)?.notice.kind).toBe('resolved')
  })

  test('a receiver that hangs, or refuses the connection, is tried again', async () => {
    const { url, received } = await receiver(0, 200)
    const it = await bench(url, { timeoutMs: 1000 })
    it.run(1, [], large)
    await untilEnded(it)
    expect([received.length, newest(it)?.delivery]).toEqual([2, { state: 'delivered', attempts: 2, status: 200 }])
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
    it.run(1, [], small)
    expect(await untilEnded(it)).toHaveLength(ATTEMPTS_MAX - 1)
    expect(newest(it)?.delivery).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('ECONNREFUSED') as string,
    })
  })

  test('follows no redirect, and tries nothing again that was refused', async () => {
    const { url, received } = await receiver(302, 404, 200)
    const it = await bench(url)
    it.run(1, [], large)
    expect(await untilEnded(it)).toEqual([])
    expect(newest(it)?.delivery).toMatchObject({ state: 'failed', attempts: 1, status: 302 })
    it.run(1, [], small)
    await untilEnded(it)
    expect([received.length, newest(it)?.delivery?.status]).toEqual([2, 404])
  })

  test.each([
    ['101 Switching Protocols\r\nConnection: Upgrade, Upgrade: foo', 101],
    ['101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: foo', 101],
    ['101 Switching Protocols', 101],
    ['600 Odd', 600],
    ['999 Odd', 999],
  ])('an answer of %j is final, and the next one is sent', async (head, status) => {
    const it = await bench(await rawReceiver(`HTTP/1.1 ${head}\r\n\r\n`, OK))
    it.run(1, [], large)
    expect(await untilEnded(it)).toEqual([])
    expect(newest(it)?.delivery).toMatchObject({ state: 'failed', attempts: 1, status })
    it.run(1, [], small)
    await untilEnded(it)
    expect(newest(it)?.delivery?.state).toBe('delivered')
  })

  test.each([
    ['nothing', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['what is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a hint and no answer', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
    ['an answer to go on and no answer', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('a receiver that says %s and closes is tried again', async (_what, text) => {
    const it = await bench(await rawReceiver(text, OK))
    it.run(1, [], large)
    expect(await untilEnded(it)).toEqual([1000])
    expect(newest(it)?.delivery).toEqual({ state: 'delivered', attempts: 2, status: 200 })
  })

  test('a receiver that sends hints without end, and a name that is never resolved, are given up in time', async () => {
    const url = await rawReceiver(function* () {
      for (;;) yield 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
    }, OK)
    const it = await bench(url, { timeoutMs: 300 })
    it.run(1, [], large)
    expect(await untilEnded(it)).toEqual([1000])
    expect(newest(it)?.delivery).toMatchObject({ state: 'delivered', attempts: 2 })

    const { signal } = new AbortController()
    const options = { allowPrivate: true, timeoutMs: 50, signal, names: () => undefined }
    const attempt = await post('http://receiver.example.com/', '{}', {}, options)
    expect(attempt).toEqual({ failure: { message: 'the receiver did not answer within 50 ms', final: false } })
  })

  test('those that wait are bounded, and the oldest go', async () => {
    const { url } = await receiver(0)
    const it = await bench(url)
    for (let n = 0; n <= WAITING_MAX; n += 1) await it.alerts.test(it.ruleId, () => undefined)
    await expect.poll(() => it.alerts.waiting).toBe(WAITING_MAX)
    const events = it.alerts.events().toReversed()
    expect(events.map(({ delivery }) => delivery?.state).slice(0, 3)).toEqual(['waiting', 'dropped', 'waiting'])
    it.alerts.forgetNotices()
    expect([it.alerts.waiting, events[0]?.delivery?.state]).toEqual([0, 'dropped'])
    await it.alerts.close()
  })
})

describe('a mute', () => {
  const mutedFor = async (it: Bench, seconds: number) => {
    const id = it.ruleId
    await it.alerts.rules.mute(id, new Date(it.clock.now() + seconds * 1000).toISOString(), () => undefined)
  }

  test('sends nothing, and what still fires after it is sent then', async () => {
    const { url, received } = await receiver()
    const it = await bench(url)
    await mutedFor(it, 60)
    it.run(1, [], large)
    expect(it.alerts.list()).toMatchObject([{ state: 'firing', muted: true }])
    expect(it.alerts.health().tone).toBe('bad')
    expect(newest(it)).toMatchObject({ kind: 'firing', muted: true })
    expect(newest(it)).not.toHaveProperty('delivery')
    it.run(60, [], large)
    await untilEnded(it)
    expect(received.map(({ notice }) => notice.kind)).toEqual(['firing'])
    expect(it.alerts.list()).toMatchObject([{ muted: false }])
  })

  test('what fired and ended meanwhile is never sent; the end of what was sent is', async () => {
    const { url, received } = await receiver()
    const it = await bench(url)
    await mutedFor(it, 60)
    it.run(1, [], large)
    it.run(1, [], small)
    it.run(60, [], small)
    it.run(1, [], large)
    await untilEnded(it)
    await mutedFor(it, 60)
    it.run(1, [], small)
    await untilEnded(it)
    expect(it.kinds()).toEqual(['firing', 'resolved', 'firing', 'resolved'])
    expect(received.map(({ notice }) => notice.kind)).toEqual(['firing', 'resolved'])
  })

  test('does not stop a test, which changes no state', async () => {
    const { url, received } = await receiver()
    const it = await bench(url)
    await mutedFor(it, 60)
    it.run(1, [], small)
    const event = await it.alerts.test(it.ruleId, () => undefined)
    await untilEnded(it)
    expect(received.map(({ notice }) => [notice.id, notice.kind])).toEqual([[event.id, 'test']])
    expect(it.states()).toEqual(['ok'])
  })
})

describe('a test', () => {
  const kept = (it: Bench) => {
    const { body } = JSON.parse(readFileSync(join(it.folder, 'alerts', 'state.json'), 'utf8')) as { body: StateFile }
    return body.events.map(({ id, kind, delivery }) => ({ id, kind, delivery }))
  }

  test('is on the disk as waiting before it is answered', async () => {
    const { url } = await receiver(0)
    const it = await bench(url)
    const { id } = await it.alerts.test(it.ruleId, () => undefined)
    expect(kept(it)).toEqual([{ id, kind: 'test', delivery: { state: 'waiting', attempts: 0 } }])
  })

  test('is refused and not sent if it cannot be written', async () => {
    const { url, received } = await receiver()
    const it = await bench(url)
    const folder = join(it.folder, 'alerts')
    renameSync(folder, `${folder}-away`)
    writeFileSync(folder, 'in the way')
    await expect(it.alerts.test(it.ruleId, () => undefined)).rejects.toMatchObject({
      code: 'data_directory_unavailable',
    })
    expect([it.alerts.events(), it.alerts.waiting]).toEqual([[], 0])
    rmSync(folder)
    renameSync(`${folder}-away`, folder)
    const { id } = await it.alerts.test(it.ruleId, () => undefined)
    await untilEnded(it)
    expect(received.map(({ notice }) => notice.id)).toEqual([id])
  })
})

describe('a restart', () => {
  test('goes on firing without a second notice', async () => {
    const { url, received } = await receiver()
    const it = await bench(url)
    it.run(1, [], large)
    await untilEnded(it)
    await it.restart()
    it.run(3, [], large)
    await it.alerts.settled()
    expect([it.states(), it.kinds()]).toEqual([['firing'], ['firing']])
    it.run(1, [], small)
    await untilEnded(it)
    expect(received.map(({ notice }) => notice.kind)).toEqual(['firing', 'resolved'])
  })

  test('sends what was waiting, with the same id', async () => {
    const { url, received } = await receiver(500, 200)
    const it = await bench(url)
    it.run(1, [], large)
    await expect.poll(() => it.clock.next).toBe(1000)
    await it.restart()
    await untilEnded(it)
    expect(received.map(({ notice }) => notice.id)).toEqual([newest(it)?.id, newest(it)?.id])
    expect(newest(it)?.delivery).toEqual({ state: 'delivered', attempts: 2, status: 200 })
  })

  test('a mute goes on', async () => {
    const it = await bench('http://127.0.0.1:9/')
    const id = it.ruleId
    await it.alerts.rules.mute(id, '2026-11-26T13:00:00Z', () => undefined)
    await it.restart()
    expect(it.alerts.rules.muted(it.alerts.rules.get(id))).toBe(true)
  })
})

describe('an address that is not public', () => {
  test('is not reached by default, also behind a name', async () => {
    const { url, received } = await receiver()
    const port = new URL(url).port
    const names: AlertOptions['names'] = (_host, done) => done(null, [{ address: '127.0.0.1', family: 4 }])
    const it = await bench(`http://receiver.example.com:${port}/`, { allowPrivate: false, names })
    it.run(1, [], large)
    expect(await untilEnded(it)).toEqual([])
    expect(newest(it)?.delivery).toMatchObject({
      state: 'failed',
      attempts: 1,
      message: expect.stringContaining('TESSERA_WEBHOOK_PRIVATE') as string,
    })
    // It was allowed when it was set, and is not any more.
    await it.alerts.rules.setWebhook({ url }, 'token', () => undefined)
    it.run(1, [], small)
    await untilEnded(it)
    expect(newest(it)?.delivery).toMatchObject({ state: 'failed', attempts: 1 })
    expect(received).toEqual([])
  })

  test('is reached if the configuration allows it', async () => {
    const { url, received } = await receiver()
    const names: AlertOptions['names'] = (_host, done) => done(null, [{ address: '127.0.0.1', family: 4 }])
    const it = await bench(`http://receiver.example.com:${new URL(url).port}/`, { names })
    it.run(1, [], large)
    await untilEnded(it)
    expect(received[0]?.headers.host).toContain('receiver.example.com')
  })
})
