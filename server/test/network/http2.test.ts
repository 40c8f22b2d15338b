// HTTP/2: what its clients see, and what bounds them. Whatever holds for a request of HTTP/1.1 has its tests there.
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { buildApp } from '../../src/app.js'
import type { App } from '../../src/app-types.js'
import { Access } from '../../src/auth/access.js'
import { type Config, ConfigError, readConfig } from '../../src/config.js'
import { openNativeEngine } from '../../src/engines/native.js'
import { STREAMS_MAX } from '../../src/network/http2/front.js'
import { say } from '../../src/sentences/sentence.js'
import { bearer, TOKEN } from '../gateway.js'
import { authority, filed, signed } from './certificates.js'

const RECORD = '/api/v1/namespaces/n/sets/s/records'
const PATIENCE = { timeout: 10_000 }

let ca: Awaited<ReturnType<typeof authority>>
let server: Awaited<ReturnType<typeof signed>>
let home: string
let app: App
let sessions: { destroy: () => void }[] = []

beforeAll(async () => {
  ca = await authority('Authority')
  server = await signed(ca, 'server')
})
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tessera-'))
})
afterEach(async () => {
  for (const session of sessions) session.destroy()
  sessions = []
  await app.close()
  await rm(home, { recursive: true })
})

/** A gateway that listens with HTTP/2; its port. */
async function listen(more: Partial<Config> = {}): Promise<number> {
  const files = await filed(home, server)
  const read = readConfig(['--data', join(home, 'data'), '--port', '0'], { TESSERA_LOG_LEVEL: 'silent' })
  const config = { ...read, tlsCertificate: files.cert, tlsKey: files.key, http2: true, ...more }
  const engine = await openNativeEngine(config)
  app = await buildApp({ config, engine, access: new Access(TOKEN), consoleFiles: join(home, 'no-console') })
  const storage = { engine: 'memory' }
  const made = await app.inject({
    method: 'POST',
    url: '/api/v1/namespaces',
    headers: bearer,
    payload: { name: 'n', storage },
  })
  expect(made.statusCode).toBe(201)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

function dial(port: number, options: SecureClientSessionOptions = {}): ClientHttp2Session {
  const session = connect(`https://127.0.0.1:${port}`, { ca: ca.cert, ...options })
  session.on('error', () => undefined)
  sessions.push(session)
  return session
}

interface Seen {
  status: number | undefined
  headers: IncomingHttpHeaders
  text: string
  code: number | undefined
}

/** An error before it is what the close is for. */
const closed = (what: ClientHttp2Stream | ClientHttp2Session): Promise<void> =>
  new Promise((resolve) => {
    what.on('error', () => undefined)
    if (what.destroyed) resolve()
    else what.once('close', resolve)
  })

const [HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION] = [1, 3, 4, 6, 7, 8, 9]
const PROTOCOL_ERROR = constants.NGHTTP2_PROTOCOL_ERROR
/** So many frames are no mistake. */
const FLOOD = 20_000
const GET: [string, string][] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', '127.0.0.1'],
  [':path', '/healthz'],
]

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A frame of RFC 9113, 4.1. */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  return Buffer.concat([u32(payload.length).subarray(1), Buffer.from([type, flags]), u32(stream), payload])
}

/** Short names and values, as literals without an index (RFC 7541, 6.2.2). */
const pack = (fields: readonly (readonly [string, string])[]): Buffer =>
  Buffer.concat(
    fields.map(([name, value]) =>
      Buffer.concat([
        Buffer.from([0, name.length]),
        Buffer.from(name),
        Buffer.from([value.length]),
        Buffer.from(value),
      ]),
    ),
  )

/** With the ends of head and stream. */
const headers = (stream: number, fields: readonly (readonly [string, string])[]): Buffer =>
  frame(HEADERS, 5, stream, pack(fields))

/** A client that sends whatever it is told. `code`: of a reset. */
async function dialRaw(
  port: number,
  more: { allowHalfOpen?: boolean } = {},
): Promise<{
  socket: TLSSocket
  write: (...frames: Buffer[]) => void
  frames: () => { type: number; stream: number; code?: number }[]
}> {
  const socket = connectTls({ port, host: '127.0.0.1', ca: ca.cert, ALPNProtocols: ['h2'], ...more })
  sessions.push(socket)
  socket.on('error', () => undefined)
  let got = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => {
    got = Buffer.concat([got, bytes])
  })
  await once(socket, 'secureConnect')
  socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(SETTINGS, 0, 0, Buffer.alloc(0))]))
  return {
    socket,
    write: (...frames) => socket.write(Buffer.concat(frames)),
    frames: () => {
      const found: { type: number; stream: number; code?: number }[] = []
      for (let at = 0; at + 9 <= got.length; at += 9 + got.readUIntBE(at, 3)) {
        const [type, stream] = [got.readUInt8(at + 3), got.readUInt32BE(at + 5)]
        found.push({ type, stream, ...(type === RST_STREAM && { code: got.readUInt32BE(at + 9) }) })
      }
      return found
    },
  }
}

/** What comes back until the stream has closed. */
async function seen(stream: ClientHttp2Stream): Promise<Seen> {
  let [headers, text]: [IncomingHttpHeaders, string] = [{}, '']
  stream.on('response', (got) => {
    headers = got
  })
  stream.setEncoding('utf8')
  stream.on('data', (part: string) => {
    text += part
  })
  await closed(stream)
  return { status: headers[':status'] as number | undefined, headers, text, code: stream.rstCode }
}

function ask(
  session: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body?: string,
): Promise<Seen> {
  const stream = session.request({ ':path': path, ...bearer, ...headers }, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
  return seen(stream)
}

const put = (session: ClientHttp2Session, key: string, body: string, more: OutgoingHttpHeaders = {}): Promise<Seen> =>
  ask(session, `${RECORD}/${key}`, { ':method': 'PUT', 'content-type': 'application/json', ...more }, body)

const open = (): number => app.connections.figures().open

describe('HTTP/2', () => {
  test('is spoken with who asks for it, on the port of HTTP/1.1', async () => {
    const port = await listen()
    const session = dial(port)
    expect(await ask(session, '/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' })
    expect(session.alpnProtocol).toBe('h2')
    const [old] = (await once(get({ host: '127.0.0.1', port, path: '/healthz', ca: ca.cert }), 'response')) as [
      { httpVersion: string; resume: () => void },
    ]
    old.resume()
    expect(old.httpVersion).toBe('1.1')
  })

  test('is off unless it is wished, and needs TLS', async () => {
    const port = await listen({ http2: false })
    const socket = connectTls({ port, host: '127.0.0.1', ca: ca.cert, ALPNProtocols: ['h2', 'http/1.1'] })
    await once(socket, 'secureConnect')
    expect(socket.alpnProtocol).toBe('http/1.1')
    socket.destroy()
    expect(() => readConfig(['--data', home], { TESSERA_HTTP2: 'true' })).toThrow(
      new ConfigError(say('TESSERA_HTTP2 needs TESSERA_TLS_CERT and TESSERA_TLS_KEY')),
    )
  })

  test('reads and writes records in many streams at once, and has no header of a connection', async () => {
    // On a busy machine so many at once are an overload.
    const session = dial(await listen({ overloadDelayMs: 0 }))
    const keys = Array.from({ length: 80 }, (_, i) => `k${i}`)
    const written = await Promise.all(keys.map((key, i) => put(session, key, JSON.stringify({ i }))))
    expect(new Set(written.map(({ status }) => status))).toEqual(new Set([201]))
    const read = await Promise.all(keys.map((key) => ask(session, `${RECORD}/${key}`)))
    expect(read.map(({ text }) => (JSON.parse(text) as { bins: { i: number } }).bins.i)).toEqual([...keys.keys()])
    expect(read[0]?.headers).toMatchObject({ etag: '"1"', 'content-type': 'application/json' })
    expect(Object.keys(read[0]?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(connection|keep-alive|transfer-encoding)$/)]),
    )
  })

  test('answers HEAD, 304, OPTIONS and errors as HTTP/1.1 does', async () => {
    const session = dial(await listen())
    await put(session, 'a', '{"a":1}')
    const head = await ask(session, `${RECORD}/a`, { ':method': 'HEAD' })
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0)
    expect(await ask(session, `${RECORD}/a`, { 'if-none-match': '"1"' })).toMatchObject({ status: 304, text: '' })
    expect(await ask(session, '*', { ':method': 'OPTIONS' })).toMatchObject({ status: 204 })
    expect((await ask(session, `${RECORD}/a`, { ':method': 'FOO' })).text).toContain('"method_not_allowed"')
    const small = await ask(session, `${RECORD}/a`, { ':method': 'get' })
    expect([small.status, small.text]).toEqual([405, expect.stringContaining('"method_not_allowed"')])
    expect((await ask(session, '/api/v1/no-such')).text).toContain('"route_not_found"')
    expect((await ask(session, `${RECORD}/a`, { authorization: 'Bearer no' })).status).toBe(401)
    const refused = await put(session, 'a', '{"a":2}', { expect: 'foo' })
    expect(refused).toMatchObject({ status: 417 })
    const tunnel = session.request({ ':method': 'CONNECT', ':authority': 'a:1' })
    expect(await seen(tunnel)).toMatchObject({ status: 405 })
  })

  test('is asked for by names that are allowed, and by one name at a time', async () => {
    const session = dial(await listen({ hosts: ['127.0.0.1', 'localhost'] }))
    const to = (authority: string, more: OutgoingHttpHeaders = {}) =>
      ask(session, '/api/v1/status', { ':authority': authority, ...more })
    expect((await to('127.0.0.1')).status).toBe(200)
    expect((await to('evil.example')).text).toContain('"host_refused"')
    expect(await to('127.0.0.1', { host: 'evil.example' })).toMatchObject({ status: 400 })
    expect((await to('127.0.0.1', { host: '127.0.0.1' })).status).toBe(200)
  })

  test('asks for certificates of clients as HTTP/1.1 does', async () => {
    const path = join(home, 'authority.pem')
    await writeFile(path, ca.cert)
    const port = await listen({ tlsClientCa: path })
    const me = await signed(ca, 'client')
    expect((await ask(dial(port, { cert: me.cert, key: me.private }), '/healthz')).status).toBe(200)
    const stranger = connectTls({ port, host: '127.0.0.1', ca: ca.cert, ALPNProtocols: ['h2'] })
    stranger.resume()
    await expect(once(stranger, 'close')).rejects.toThrow('certificate required')
    await vi.waitFor(() => expect(open()).toBe(1), PATIENCE)
  })

  test('joins cookies that come one by one, and sends several of its own', async () => {
    const session = dial(await listen())
    const login = await ask(session, `/login?code=${app.access.newCode().secret}`)
    expect(login.status).toBe(303)
    const cookies = login.headers['set-cookie'] ?? []
    const own = cookies.map((cookie) => cookie.split(';')[0] ?? '')
    const me = session.request({ ':path': '/api/v1/auth/me', cookie: ['other=1', ...own] })
    expect(await seen(me)).toMatchObject({ status: 200 })
  })

  test('streams an upload and an export, and compresses', async () => {
    const session = dial(await listen())
    const rows = Array.from({ length: 20_000 }, (_, i) => `${i},${'x'.repeat(40)}`)
    const path = '/api/v1/namespaces/n/import?set=big&key=k'
    const done = await ask(
      session,
      path,
      { ':method': 'POST', 'content-type': 'text/csv' },
      ['k,v', ...rows].join('\n'),
    )
    expect(JSON.parse(done.text)).toMatchObject({ inserted: 20_000 })
    const exported = await ask(session, '/api/v1/namespaces/n/export')
    expect(exported.text.trimEnd().split('\n')).toHaveLength(20_000)
    const packed = await ask(session, '/api/v1/openapi.json', { 'accept-encoding': 'gzip' })
    expect(packed.headers['content-encoding']).toBe('gzip')
  })

  test('a client that ends its stream ends its work', async () => {
    const session = dial(await listen())
    const live = session.request({ ':path': '/api/v1/live', ...bearer })
    await once(live, 'response')
    expect(app.feed.size).toBe(1)
    live.close(constants.NGHTTP2_CANCEL)
    await vi.waitFor(() => expect(app.feed.size).toBe(0), PATIENCE)
    const upload = session.request({
      ':method': 'POST',
      ':path': '/api/v1/namespaces/n/import?set=cut&key=k',
      'content-type': 'text/csv',
      ...bearer,
    })
    upload.on('error', () => undefined)
    upload.write('k,v\n1,2\n')
    await vi.waitFor(() => expect(open()).toBe(2), PATIENCE)
    upload.close(constants.NGHTTP2_CANCEL)
    await vi.waitFor(() => expect(open()).toBe(1), PATIENCE)
  })
})

describe('a client of HTTP/2 is bounded:', () => {
  test('a body that is too large is refused before it has come', async () => {
    const session = dial(await listen({ bodyLimitBytes: 100_000 }))
    const refused = await put(session, 'a', `{"a":"${'x'.repeat(200_000)}"}`)
    expect(refused).toMatchObject({ status: 413 })
    // Its length is not known before.
    const stream = session.request({
      ':method': 'PUT',
      ':path': `${RECORD}/a`,
      'content-type': 'application/json',
      ...bearer,
    })
    const answer = seen(stream)
    const more = (): void => {
      if (!stream.destroyed) stream.write('1'.repeat(16_384), more)
    }
    more()
    expect(await answer).toMatchObject({ status: 413, code: constants.NGHTTP2_NO_ERROR })
    expect((await ask(session, '/healthz')).status).toBe(200)
  })

  test('a body that never ends is answered', async () => {
    const session = dial(await listen({ bodyTimeoutMs: 300 }))
    const stream = session.request({
      ':method': 'PUT',
      ':path': `${RECORD}/a`,
      'content-type': 'application/json',
      ...bearer,
    })
    stream.write('{')
    expect(await seen(stream)).toMatchObject({ status: 408 })
  })

  test('a head of more than 64 KiB gets an answer, and a longer one an end', async () => {
    const session = dial(await listen(), { maxSendHeaderBlockLength: 1_000_000 })
    const big = (bytes: number): OutgoingHttpHeaders =>
      Object.fromEntries(Array.from({ length: bytes / 8000 }, (_, i) => [`x-${i}`, 'x'.repeat(8000)]))
    expect(await ask(session, '/healthz', big(48_000))).toMatchObject({ status: 200 })
    expect(await ask(session, '/healthz', big(72_000))).toMatchObject({ status: 431 })
    expect(await ask(session, '/healthz', big(200_000))).toMatchObject({ status: undefined })
    expect((await ask(dial((app.server.address() as AddressInfo).port), '/healthz')).status).toBe(200)
  })

  test.each([
    ['connection', 'close'],
    ['transfer-encoding', 'chunked'],
    ['upgrade', 'h2c'],
    ['te', 'gzip'],
    ['X-Upper', 'a'],
  ])('a request with %s: %s is refused, and the next one served', async (name, value) => {
    const raw = await dialRaw(await listen())
    raw.write(headers(1, [...GET, [name, value]]), headers(3, GET))
    await vi.waitFor(() => expect(raw.frames()).toContainEqual({ type: RST_STREAM, stream: 1, code: PROTOCOL_ERROR }))
    await vi.waitFor(() => expect(raw.frames()).toContainEqual(expect.objectContaining({ type: HEADERS, stream: 3 })))
  })

  test('more streams than are allowed wait, and others are served', async () => {
    const port = await listen()
    const session = dial(port)
    await once(session, 'remoteSettings')
    expect(session.remoteSettings.maxConcurrentStreams).toBe(STREAMS_MAX)
    const lives = Array.from({ length: STREAMS_MAX }, () => session.request({ ':path': '/api/v1/live', ...bearer }))
    await Promise.all(lives.map((live) => once(live, 'response')))
    expect(open()).toBe(STREAMS_MAX + 1)
    const late = session.request({ ':path': '/healthz' })
    const other = dial(port)
    let answered = false
    late.once('response', () => {
      answered = true
    })
    expect((await ask(other, '/healthz')).status).toBe(200)
    expect(answered).toBe(false)
    lives[0]?.close()
    expect(await seen(late)).toMatchObject({ status: 200 })
  })

  test('each stream takes the place of a connection, and none is left if all are at work', async () => {
    const session = dial(await listen({ connectionsMax: 4, connectionsPerAddressMax: 4 }))
    const lives = Array.from({ length: 3 }, () => session.request({ ':path': '/api/v1/live', ...bearer }))
    await Promise.all(lives.map((live) => once(live, 'response')))
    expect(await ask(session, '/healthz')).toMatchObject({
      status: 503,
      text: expect.stringContaining('"too_many_connections"') as string,
    })
    lives[0]?.close()
    await vi.waitFor(async () => expect((await ask(session, '/healthz')).status).toBe(200), PATIENCE)
  })

  test('a connection without a request makes room, and one with a stream at work stays', async () => {
    const port = await listen({ connectionsMax: 3, connectionsPerAddressMax: 3 })
    const busy = dial(port)
    const live = busy.request({ ':path': '/api/v1/live', ...bearer })
    await once(live, 'response')
    const silent = dial(port)
    await once(silent, 'remoteSettings')
    const gone = closed(silent)
    const third = dial(port)
    await once(third, 'connect')
    await gone
    expect(busy.destroyed || live.destroyed).toBe(false)
  })

  test('one that sends no request is closed, whatever else it sends', async () => {
    const session = dial(await listen({ headTimeoutMs: 300, idleTimeoutMs: 300 }))
    const pings = setInterval(() => session.destroyed || session.ping(() => undefined), 20)
    await closed(session)
    clearInterval(pings)
    await vi.waitFor(() => expect(open()).toBe(0), PATIENCE)
    const after = dial((app.server.address() as AddressInfo).port)
    expect((await ask(after, '/healthz')).status).toBe(200)
    await closed(after)
    await vi.waitFor(() => expect(open()).toBe(0), PATIENCE)
  })

  test.each<[string, Buffer[]]>([
    ['asks for nothing', []],
    ['has had its answer', [headers(1, GET)]],
    ['sends settings of a wrong length', [frame(SETTINGS, 0, 0, Buffer.alloc(3))]],
  ])('one that %s and does not close is closed all the same', async (_name, frames) => {
    const port = await listen({ headTimeoutMs: 300, idleTimeoutMs: 300 })
    const raw = await dialRaw(port, { allowHalfOpen: true })
    raw.write(...frames)
    await once(raw.socket, 'end')
    await vi.waitFor(() => expect(open()).toBe(0), PATIENCE)
    expect(raw.socket.writable).toBe(true)
  })

  test.each<[string, (i: number) => Buffer[]]>([
    ['opens streams and ends them at once', (i) => [headers(2 * i + 1, GET), frame(RST_STREAM, 0, 2 * i + 1, u32(8))]],
    [
      'sends a head in ever more parts',
      (i) => [i === 0 ? frame(HEADERS, 0, 1, pack(GET)) : frame(CONTINUATION, 0, 1, pack([['a', 'b']]))],
    ],
    ['pings, and asks for nothing', () => [frame(PING, 0, 0, Buffer.alloc(8))]],
    ['settles, and asks for nothing', () => [frame(SETTINGS, 0, 0, Buffer.alloc(0))]],
  ])('one that %s is closed', async (_name, next) => {
    const port = await listen({ headTimeoutMs: 1000 })
    const raw = await dialRaw(port)
    let sent = 0
    while (!raw.socket.destroyed && sent < FLOOD) {
      const parts = Array.from({ length: 100 }, (_, i) => next(sent + i)).flat()
      sent += 100
      raw.write(...parts)
      await setImmediate()
    }
    await vi.waitFor(() => expect(open()).toBe(0), PATIENCE)
    expect((await ask(dial(port), '/healthz')).status).toBe(200)
  })

  test('a frame that ends the session in the record of a new stream ends no more than that', async () => {
    const port = await listen()
    const raw = await dialRaw(port)
    // A window that grows by nothing, for the whole connection.
    raw.write(headers(1, GET), headers(3, GET), frame(WINDOW_UPDATE, 0, 0, u32(0)))
    await once(raw.socket, 'close')
    await vi.waitFor(() => expect(open()).toBe(0), PATIENCE)
    expect((await ask(dial(port), '/healthz')).status).toBe(200)
  })

  test('answers that nobody reads are bounded, by what they hold and by how long', async () => {
    const port = await listen({ readerPatienceMs: 1000, unreadBytesMax: 2_000_000 })
    const session = dial(port)
    const body = JSON.stringify({ a: 'x'.repeat(900_000) })
    expect((await put(session, 'large', body)).status).toBe(201)
    const still = dial(port, { settings: { initialWindowSize: 0 } })
    const streams = Array.from({ length: 5 }, () => {
      const stream = still.request({ ':path': `${RECORD}/large`, ...bearer })
      stream.resume()
      return stream
    })
    await Promise.all(streams.map(closed))
    const { closed: ended, heldBytes } = app.unread.figures()
    expect(ended).toBeGreaterThan(0)
    expect(heldBytes).toBe(0)
    expect((await ask(session, `${RECORD}/large`)).text.length).toBeGreaterThan(900_000)
  })

  test('the unread rest of a small answer is dropped in time', async () => {
    const port = await listen({ readerPatienceMs: 300 })
    const still = dial(port, { settings: { initialWindowSize: 0 } })
    const stream = still.request({ ':path': '/healthz' })
    stream.resume()
    await closed(stream)
    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
    await vi.waitFor(() => expect(open()).toBe(1), PATIENCE)
  })

  test('the unread rest of an answer is dropped in time, although its client sends pings', async () => {
    const raw = await dialRaw(await listen({ readerPatienceMs: 300 }))
    raw.write(frame(SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, 4]), u32(0)])), headers(1, GET))
    await vi.waitFor(() => {
      raw.write(frame(PING, 0, 0, Buffer.alloc(8)))
      expect(raw.frames()).toContainEqual({ type: RST_STREAM, stream: 1, code: constants.NGHTTP2_CANCEL })
    }, PATIENCE)
  })

  test.each([
    ['a frame of a wrong length', frame(SETTINGS, 0, 0, Buffer.alloc(5))],
    ['a head that cannot be decompressed', frame(HEADERS, 5, 3, Buffer.alloc(6, 0xff))],
    ['data of a stream that was never opened', frame(0, 1, 99, Buffer.from('x'))],
  ])('after %s, a connection with a live stream does not stay, nor when its client has gone', async (_, fault) => {
    const raw = await dialRaw(await listen({ headTimeoutMs: 200 }))
    const live = [...GET.slice(0, 3), [':path', '/api/v1/live'], ['authorization', bearer.authorization]] as const
    raw.write(headers(1, live))
    await vi.waitFor(() => expect(raw.frames()).toContainEqual({ type: HEADERS, stream: 1 }), PATIENCE)
    raw.write(fault)
    await vi.waitFor(() => expect(raw.frames()).toContainEqual({ type: GOAWAY, stream: 0 }), PATIENCE)
    raw.socket.destroy()
    await vi.waitFor(() => expect(open()).toBe(0), PATIENCE)
  })

  test('one that only listens stays', async () => {
    const port = await listen({ headTimeoutMs: 50 })
    const session = dial(port)
    let pings = 0
    session.on('ping', () => {
      pings += 1
    })
    const live = session.request({ ':path': '/api/v1/live', ...bearer })
    live.resume()
    await vi.waitFor(() => expect(pings).toBeGreaterThan(5), PATIENCE)
    expect([live.closed, open()]).toEqual([false, 2])
  })

  test('a stream of records that nobody reads ends', async () => {
    const port = await listen({ readerPatienceMs: 500 })
    const session = dial(port)
    const rows = Array.from({ length: 60_000 }, (_, i) => `${i},${'x'.repeat(100)}`).join('\n')
    await ask(
      session,
      '/api/v1/namespaces/n/import?set=s&key=k',
      { ':method': 'POST', 'content-type': 'text/csv' },
      `k,v\n${rows}`,
    )
    const still = dial(port, { settings: { initialWindowSize: 1000 } })
    const stream = still.request({ ':path': '/api/v1/namespaces/n/export', ...bearer })
    stream.pause()
    await closed(stream)
    expect(app.streams.figures()).toMatchObject({ open: 0, stalled: 1 })
  })
})

describe('the end of HTTP/2', () => {
  test('tells clients to go, answers what is under way, and waits for none that does not read', async () => {
    const session = dial(await listen())
    await ask(session, '/healthz')
    const live = session.request({ ':path': '/api/v1/live', ...bearer })
    const text = seen(live)
    await once(live, 'response')
    const went = once(session, 'goaway')
    await app.close()
    expect((await went)[0]).toBe(constants.NGHTTP2_NO_ERROR)
    expect((await text).text).toContain('event: end')
  })

  test('tells clients to go with their next answers while the server drains', async () => {
    const session = dial(await listen())
    expect((await ask(session, '/healthz')).status).toBe(200)
    app.stop.begun = true
    const went = once(session, 'goaway')
    expect((await ask(session, '/healthz')).status).toBe(200)
    expect((await went)[0]).toBe(constants.NGHTTP2_NO_ERROR)
  })
})
