// Most connections of all, and of one address: who makes room, who is refused, and who is served all the same.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.js'
import type { App } from '../../src/app-types.js'
import { Access } from '../../src/auth/access.js'
import { type Config, readConfig } from '../../src/config.js'
import { openNativeEngine } from '../../src/engines/native.js'
import { TOKEN } from '../gateway.js'
import { authority, filed, signed } from './certificates.js'

const HEALTH = 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'
const LIVE = `GET /api/v1/live HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`

let home: string
let tls: Partial<Config>
let app: App
let port: number
let clients: Client[] = []

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tessera-'))
  const files = await filed(home, await signed(await authority('Authority'), 'server'))
  tls = { tlsCertificate: files.cert, tlsKey: files.key }
})
afterAll(() => rm(home, { recursive: true }))
afterEach(async () => {
  for (const { socket } of clients) socket.destroy()
  clients = []
  await app.close()
})

async function listen(more: Partial<Config>): Promise<void> {
  const directory = await mkdtemp(join(home, 'data-'))
  const config = { ...readConfig(['--data', directory], { TESSERA_LOG_LEVEL: 'silent' }), ...more }
  const engine = await openNativeEngine(config)
  app = await buildApp({ config, engine, access: new Access(TOKEN), consoleFiles: join(home, 'no-console') })
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
}

class Client {
  readonly socket: Socket
  text = ''
  closed = false

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (bytes) => (this.text += bytes.toString('latin1')))
    socket.on('error', () => undefined)
    socket.on('close', () => (this.closed = true))
    clients.push(this)
  }

  /** Sends a request, and waits for its answer or the end of the connection. */
  async ask(request: string): Promise<string> {
    this.text = ''
    this.socket.write(request)
    await expect.poll(() => this.closed || this.text.includes('\r\n\r\n')).toBe(true)
    return this.text.slice(0, 12)
  }
}

/** A client from an address of this machine, once the server has it or has refused it. */
async function client(localAddress = '127.0.0.1'): Promise<Client> {
  const made = new Client(connect({ port, host: '127.0.0.1', localAddress }))
  const before = app.connections.figures()
  await once(made.socket, 'connect')
  await expect.poll(() => app.connections.figures()).not.toEqual(before)
  return made
}

async function many(count: number, localAddress?: string): Promise<Client[]> {
  const made = []
  for (let n = 0; n < count; n += 1) made.push(await client(localAddress))
  return made
}

const open = (among: Client[]) => among.map(({ closed }) => !closed)

describe('with room for four connections', () => {
  const limits = { connectionsMax: 4, connectionsPerAddressMax: 4 }

  test('one more takes the place of the one that says nothing', async () => {
    await listen(limits)
    const idle = await many(4)
    expect(await (await client()).ask(HEALTH)).toBe('HTTP/1.1 200')
    await expect.poll(() => open(idle)).toEqual([false, true, true, true])
    expect(app.connections.figures()).toEqual({ open: 4, closed: 1, refused: 0 })
  })

  test('one that has asked something since stays before one that has not', async () => {
    await listen(limits)
    const [asks, ...idle] = await many(4)
    await asks?.ask(HEALTH)
    await client()
    await expect.poll(() => open([...(asks ? [asks] : []), ...idle])).toEqual([true, false, true, true])
  })

  test('one with an answer under way stays, and if all have one, one more is refused', async () => {
    await listen(limits)
    const busy = await many(4)
    for (const one of busy) expect(await one.ask(LIVE)).toBe('HTTP/1.1 200')
    const more = new Client(connect({ port, host: '127.0.0.1' }))
    await expect.poll(() => more.closed).toBe(true)
    expect(more.text).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1.*"code":"too_many_connections"/s)
    expect(open(busy)).toEqual([true, true, true, true])
    expect(app.connections.figures()).toEqual({ open: 4, closed: 0, refused: 1 })
    busy[0]?.socket.destroy()
    await expect.poll(() => app.connections.figures().open).toBe(3)
    expect(await (await client()).ask(HEALTH)).toBe('HTTP/1.1 200')
  })

  test('a head that is sent byte by byte holds no place for ever', async () => {
    await listen(limits)
    const slow = await many(4)
    for (const one of slow) one.socket.write('GET / HT')
    for (let n = 0; n < 8; n += 1) expect(await (await client()).ask(HEALTH)).toBe('HTTP/1.1 200')
    await expect.poll(() => open(slow)).toEqual([false, false, false, false])
  })
})

describe('half a body', () => {
  const half = (line: string, token = '') =>
    `${line} HTTP/1.1\r\nhost: a\r\n${token}content-type: application/json\r\ncontent-length: 40\r\n\r\n{"to`

  test('of a sign-in holds no place: nobody knows who sends it', async () => {
    await listen({ connectionsMax: 4, connectionsPerAddressMax: 2 })
    const signIns = [...(await many(2, '127.0.0.2')), ...(await many(2, '127.0.0.3'))]
    for (const one of signIns) one.socket.write(half('POST /api/v1/auth/login'))
    await expect.poll(() => signIns.every(({ socket }) => socket.bytesWritten > 0)).toBe(true)
    for (let n = 0; n < 8; n += 1) expect(await (await client('127.0.0.4')).ask(HEALTH)).toBe('HTTP/1.1 200')
    await expect.poll(() => open(signIns)).toContain(false)
    expect(app.connections.figures().refused).toBe(0)
  })

  test('with a token is a request at work', async () => {
    await listen({ connectionsMax: 2, connectionsPerAddressMax: 2 })
    const taken = new Set<Socket>()
    app.server.on('request', ({ socket }: { socket: Socket }) => taken.add(socket))
    const known = await many(2)
    const token = `authorization: Bearer ${TOKEN}\r\n`
    for (const one of known) one.socket.write(half('POST /api/v1/namespaces', token))
    await expect.poll(() => taken.size).toBe(2)
    const more = new Client(connect({ port, host: '127.0.0.1' }))
    await expect.poll(() => more.closed).toBe(true)
    expect(open(known)).toEqual([true, true])
  })
})

describe('with room for two connections of an address', () => {
  test('a third takes the place of another one of the same address', async () => {
    await listen({ connectionsMax: 10, connectionsPerAddressMax: 2 })
    const others = await many(2, '127.0.0.2')
    const own = await many(4, '127.0.0.3')
    await expect.poll(() => open(own)).toEqual([false, false, true, true])
    expect(open(others)).toEqual([true, true])
    expect(app.connections.figures()).toEqual({ open: 4, closed: 2, refused: 0 })
  })

  test('clients behind a trusted proxy are not one', async () => {
    await listen({ connectionsMax: 10, connectionsPerAddressMax: 2, trustedProxies: ['127.0.0.0/30', '::1'] })
    expect(open(await many(5, '127.0.0.2'))).toEqual([true, true, true, true, true])
    expect(app.connections.figures()).toEqual({ open: 5, closed: 0, refused: 0 })
  })
})

describe('with TLS', () => {
  test('one without a handshake makes room, and one with an answer under way stays', async () => {
    await listen({ connectionsMax: 2, connectionsPerAddressMax: 2, ...tls })
    const secure = () => new Client(connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }))
    const busy = secure()
    expect(await busy.ask(LIVE)).toBe('HTTP/1.1 200')
    const [silent] = await many(1)
    expect(await secure().ask(HEALTH)).toBe('HTTP/1.1 200')
    await expect.poll(() => silent?.closed).toBe(true)
    expect(await secure().ask(HEALTH)).toBe('HTTP/1.1 200')
    expect(busy.closed).toBe(false)
    expect(app.connections.figures()).toMatchObject({ open: 2, closed: 2, refused: 0 })
    const second = secure()
    expect(await second.ask(LIVE)).toBe('HTTP/1.1 200')
    const third = secure()
    await expect.poll(() => third.closed).toBe(true)
    expect(app.connections.figures()).toMatchObject({ open: 2, refused: 1 })
  })
})
