// Pipelined requests are served in turn, wait in a bounded number, and go with their connection.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Pipelines, WAITING_ALL_MAX, WAITING_MAX } from '../../src/overload/pipelines.js'
import { turnsUntil } from '../turns.js'

const MANY = 300
/** What Node reads at once. */
const CHUNK = 64 * 1024

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`
const gets = (count: number): string => Array.from({ length: count }, (_, i) => get(`/${i}`)).join('')

describe('pipelined requests', () => {
  let pipelines: Pipelines
  let server: Server
  let begun: { request: IncomingMessage; response: ServerResponse }[]
  let clients: Socket[]

  beforeEach(async () => {
    pipelines = new Pipelines()
    begun = []
    clients = []
    server = createServer(pipelines.before((request, response) => begun.push({ request, response })))
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })

  afterEach(async () => {
    for (const client of clients) client.destroy()
    server.closeAllConnections()
    await once(server.close(), 'close')
  })

  /** A client that reads nothing before it is told to. */
  function client(text: string): Socket {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(text)
    clients.push(socket)
    return socket
  }

  const answer = (at: number, body: string) => begun[at]?.response.end(body)

  test('are served one after the other, in order', async () => {
    const socket = client(gets(MANY))
    let text = ''
    socket.on('data', (bytes) => (text += bytes.toString('latin1'))).resume()
    for (let at = 0; at < MANY; at += 1) {
      await turnsUntil(() => begun.length > at)
      expect(begun.length).toBe(at + 1)
      expect(pipelines.waiting).toBeLessThan(MANY - at)
      answer(at, `<${at}>`)
    }
    await turnsUntil(() => text.includes(`<${MANY - 1}>`))
    const bodies = [...text.matchAll(/<(\d+)>/g)].map(([, body]) => Number(body))
    expect(bodies).toEqual(Array.from({ length: MANY }, (_, at) => at))
    expect(pipelines.waiting).toBe(0)
  })

  test('have their bodies, whole, also those that were not read yet', async () => {
    const body = 'b'.repeat(3 * CHUNK)
    const post = `POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    client(post.repeat(WAITING_MAX * 2)).resume()
    for (let at = 0; at < WAITING_MAX * 2; at += 1) {
      await turnsUntil(() => begun.length > at)
      const text = await begun[at]?.request.setEncoding('latin1').toArray()
      expect(text?.join('').length).toBe(body.length)
      answer(at, 'ok')
    }
  })

  test('are not read on while many wait', async () => {
    const socket = client(get('/'))
    const [[theirs]] = await Promise.all([once(server, 'connection') as Promise<[Socket]>, once(socket, 'connect')])
    const more = gets(40 * MANY)
    expect(more.length).toBeGreaterThan(5 * CHUNK)
    socket.write(more)
    await turnsUntil(() => pipelines.waiting >= WAITING_MAX)
    const { waiting } = pipelines
    expect(theirs.bytesRead).toBeLessThan(2 * CHUNK)
    // Each answer makes Node read on.
    for (let at = 0; at < WAITING_MAX; at += 1) {
      await turnsUntil(() => begun.length > at)
      answer(at, 'ok')
    }
    await turnsUntil(() => begun.length > WAITING_MAX)
    expect(pipelines.waiting).toBe(waiting - WAITING_MAX)
    expect(theirs.bytesRead).toBeLessThan(2 * CHUNK)
  })

  test('are not served once their client has gone', async () => {
    const sockets = Array.from({ length: 8 }, () => client(gets(MANY)))
    await turnsUntil(() => begun.length === sockets.length && pipelines.waiting === sockets.length * (MANY - 1))
    for (const socket of sockets) socket.resetAndDestroy()
    for (let at = 0; at < sockets.length; at += 1) answer(at, 'x'.repeat(CHUNK))
    await turnsUntil(() => pipelines.waiting === 0)
    client(get('/'))
    await turnsUntil(() => begun.length > sockets.length)
    expect(begun.length).toBe(sockets.length + 1)
  })

  test('of all connections are bounded: one with more than its share is closed, another stays', async () => {
    const small = client(gets(WAITING_MAX))
    await turnsUntil(() => pipelines.waiting === WAITING_MAX - 1)
    // As many as come in one chunk wait.
    const text = gets(2000)
    const large: Socket[] = []
    while (!large.some(({ destroyed }) => destroyed)) {
      large.push(client(text).resume())
      const { waiting } = pipelines
      await turnsUntil(() => pipelines.waiting > waiting || large.some(({ destroyed }) => destroyed))
    }
    expect(pipelines.waiting).toBeLessThanOrEqual(WAITING_ALL_MAX)
    expect(small.destroyed).toBe(false)
    answer(0, 'ok')
    await turnsUntil(() => begun.some(({ request }) => request.url === '/1'))
  })
})
