// Answers that nobody reads: no more of them than there is room for, whoever asks, and none for ever.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import fastify from 'fastify'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { boundUnread } from '../../src/hooks/unread.js'
import { COUNTED_BYTES, leftOf, STALLED_MS } from '../../src/overload/unread.js'
import type { Problem } from '../../src/schemas/problem.js'
import type { Status } from '../../src/schemas/server/status.js'
import { type Gateway, TOKEN, useGateway } from '../gateway.js'
import { turnsUntil } from '../turns.js'

const MIB = 1024 * 1024
/** More than a connection holds on its own. */
const LARGE = 7 * MIB
const RECORD = '/api/v1/namespaces/n/sets/s/records/large'
const AUTH = `host: localhost\r\nauthorization: Bearer ${TOKEN}\r\n`

async function fill(gateway: Gateway): Promise<void> {
  const config = { name: 'n', storage: { engine: 'memory' }, segments: 16, maxRecordBytes: LARGE + MIB / 2 }
  await gateway.ok('POST /api/v1/namespaces', { body: config })
  await gateway.put('n/sets/s/records/large', { text: 'x'.repeat(LARGE) })
  await gateway.put('n/sets/s/records/small', { text: 'x' })
  await gateway.app.listen({ host: '127.0.0.1', port: 0 })
  // The tests look themselves.
  gateway.app.unread.close()
}

/** A client that sends a request and reads nothing; `socket` is the gateway's end of its connection. */
async function deaf({ app }: Gateway, head = `GET ${RECORD}`, body = ''): Promise<{ client: Socket; socket: Socket }> {
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  client.pause()
  client.on('error', () => undefined)
  const ofBody = body === '' ? '' : `content-type: application/x-ndjson\r\ncontent-length: ${body.length}\r\n`
  client.write(`${head} HTTP/1.1\r\n${AUTH}${ofBody}\r\n${body}`)
  const [socket] = await accepted
  // It is not only about to be written.
  await turnsUntil(() => leftOf({ socket }) > 0 || socket.destroyed)
  return { client, socket }
}

/** The first bytes of an answer over a new connection, which is closed then. */
async function statusOf({ app }: Gateway, path: string): Promise<number> {
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  client.write(`GET ${path} HTTP/1.1\r\n${AUTH}\r\n`)
  const [bytes] = (await once(client, 'data')) as [Buffer]
  client.destroy()
  return Number(bytes.subarray(9, 12).toString())
}

describe('unread answers', () => {
  const gateway = useGateway({ unreadBytesMax: 18 * MIB, readerPatienceMs: 0 })
  beforeAll(() => fill(gateway()))

  test('are bounded over all connections: one more is refused, and what is small or vital is not', async () => {
    const { app, ok } = gateway()
    const readers = [await deaf(gateway()), await deaf(gateway())]
    expect(app.unread.figures()).toMatchObject({ answers: 2, refused: 0, closed: 0 })
    const answer = await gateway().send(`GET ${RECORD}`)
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
    expect(answer.json<Problem>()).toMatchObject({ code: 'overloaded', retryable: true })
    expect(answer.json<Problem>().detail).toMatch(/^clients have not read \d+ of at most 18874368 bytes of answers/)
    for (const path of ['/healthz', '/readyz', '/metrics', RECORD.replace('large', 'small'), '/api/v1/openapi.json'])
      expect([path, await statusOf(gateway(), path)]).toEqual([path, 200])
    const { gateway: use } = await ok<Status>('GET /api/v1/status')
    expect(use.unread).toMatchObject({ answers: 2, refused: 1, closed: 0 })
    expect(use.unread.heldBytes).toBeGreaterThan(2 * LARGE)
    expect((await gateway().send('GET /metrics')).text).toContain('tessera_refused_answers_total 1\n')
    // What is read, or whose client has gone, takes no room.
    readers[0]?.client.resume()
    readers[1]?.client.destroy()
    await turnsUntil(() => app.unread.figures().answers === 0)
    expect(app.unread.figures().heldBytes).toBe(0)
    expect(await statusOf(gateway(), RECORD)).toBe(200)
    await turnsUntil(() => app.unread.figures().answers === 0)
  })

  test('of clients that do not read make room for others, the longest one first', async () => {
    const { app } = gateway()
    const { closed } = app.unread.figures()
    // Whole milliseconds add without rounding.
    const now = Math.round(performance.now())
    const first = await deaf(gateway())
    app.unread.look(now)
    const second = await deaf(gateway())
    app.unread.look(now + STALLED_MS)
    expect(await statusOf(gateway(), RECORD)).toBe(200)
    expect([first.socket.destroyed, second.socket.destroyed]).toEqual([true, false])
    expect(app.unread.figures().closed).toBe(closed + 1)
    second.client.destroy()
    await turnsUntil(() => app.unread.figures().answers === 0)
  })

  test('of clients that read are left alone, however slow they are', async () => {
    const { app } = gateway()
    const readers = [await deaf(gateway()), await deaf(gateway())]
    // Whole milliseconds add without rounding.
    const now = Math.round(performance.now())
    app.unread.look(now)
    for (const { client, socket } of readers) {
      const before = leftOf({ socket })
      await turnsUntil(() => {
        client.read()
        return leftOf({ socket }) < before
      })
    }
    app.unread.look(now + STALLED_MS)
    expect(await statusOf(gateway(), RECORD)).toBe(503)
    expect(readers.map(({ socket }) => socket.destroyed)).toEqual([false, false])
    for (const { client } of readers) client.destroy()
    await turnsUntil(() => app.unread.figures().answers === 0)
  })

  test('make room for the answer of what has changed something', async () => {
    const { app } = gateway()
    const readers = [await deaf(gateway()), await deaf(gateway())]
    const ended = { once: () => undefined, destroyed: false, socket: null, destroy: () => undefined }
    expect(app.unread.admit(ended as never, LARGE, true)).toBe(true)
    expect(readers.map(({ socket }) => socket.destroyed)).toEqual([true, false])
  })
})

test('a stream for which there is no room is closed, so that what it reads from is not held', async () => {
  const source = new Readable({ highWaterMark: COUNTED_BYTES, read: () => undefined })
  const app = fastify()
  onTestFinished(() => app.close())
  app.decorate('config', { unreadBytesMax: MIB } as never)
  app.decorate('streams', { has: () => false } as never)
  app.decorate('unread', { admit: () => false, figures: () => ({ heldBytes: MIB }) } as never)
  boundUnread(app as never)
  app.get('/', (_, reply) => reply.send(source))
  expect((await app.inject('/')).json()).toMatchObject({ code: 'overloaded' })
  expect(source.destroyed).toBe(true)
})

describe('records that are sent as they are read', () => {
  const gateway = useGateway({ unreadBytesMax: 6 * MIB, readerPatienceMs: 60_000 })
  const PAGE = '/api/v1/namespaces/n/sets/many/records?limit=20'
  const running = async (): Promise<number> =>
    (await gateway().ok<{ items: unknown[] }>('GET /api/v1/jobs?state=running')).items.length
  beforeAll(async () => {
    await fill(gateway())
    const text = 'x'.repeat(MIB)
    for (let key = 0; key < 20; key += 1) await gateway().put(`n/sets/many/records/${key}`, { text })
  })

  test.each([
    ['a page', `GET ${PAGE}`, ''],
    [
      'a batch of reads',
      'POST /api/v1/namespaces/n/sets/many/read',
      Array.from({ length: 20 }, (_, key) => `"${key}"\n`).join(''),
    ],
  ])('of %s count until they are read, and end after the patience with readers', async (_, head, body) => {
    const { app } = gateway()
    const { client, socket } = await deaf(gateway(), head, body)
    expect(app.unread.figures()).toMatchObject({ answers: 1 })
    expect(app.unread.figures().heldBytes).toBeGreaterThan(MIB)
    // Whole milliseconds add without rounding.
    const now = Math.round(performance.now())
    app.unread.look(now)
    app.unread.look(now + 60_000)
    expect(socket.destroyed).toBe(true)
    expect(app.unread.figures()).toMatchObject({ answers: 0, heldBytes: 0 })
    client.destroy()
    await turnsUntil(async () => (await running()) === 0)
  })

  test('find no room while others hold it, and then their work ends', async () => {
    const { app } = gateway()
    const readers: Socket[] = []
    while (app.unread.figures().refused === 0 && readers.length < 20) {
      const status = await statusOf(gateway(), PAGE)
      if (status === 200) readers.push((await deaf(gateway(), `GET ${PAGE}`)).client)
    }
    expect(readers.length).toBeGreaterThan(0)
    expect(app.unread.figures().refused).toBeGreaterThan(0)
    expect(app.unread.figures().heldBytes).toBeLessThanOrEqual(6 * MIB)
    for (const client of readers) client.destroy()
    await turnsUntil(async () => app.unread.figures().answers === 0 && (await running()) === 0)
  })
})

describe('an answer that nobody reads', () => {
  const gateway = useGateway({ readerPatienceMs: 60_000 })
  beforeAll(() => fill(gateway()))

  test('is ended after the patience with readers', async () => {
    const { app } = gateway()
    const { client, socket } = await deaf(gateway())
    // Whole milliseconds add without rounding.
    const now = Math.round(performance.now())
    app.unread.look(now)
    app.unread.look(now + 59_999)
    expect(socket.destroyed).toBe(false)
    app.unread.look(now + 60_000)
    expect(socket.destroyed).toBe(true)
    expect(app.unread.figures()).toMatchObject({ answers: 0, heldBytes: 0, closed: 1 })
    client.destroy()
  })

  test('is alone, and larger than all may hold: it is sent', async () => {
    const { app } = gateway()
    Object.assign(app.config, { unreadBytesMax: MIB })
    expect(await statusOf(gateway(), RECORD)).toBe(200)
  })
})
