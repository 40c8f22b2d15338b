// HTTP/2 for a server of HTTP/1.1: each stream is a connection of its own to that server, in memory. So whatever bounds and
// judges a request or a connection holds for it, too. Here is what only HTTP/2 has: sessions, streams, their heads.
import { type ClientRequest, type IncomingMessage, request as askFor } from 'node:http'
import { constants, createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { Server as SecureServer } from 'node:https'
import type { TLSSocket } from 'node:tls'
import type { Config } from '../../config.js'
import { refusalOfTunnel } from '../../hooks/wire-errors.js'
import { Bucket } from '../../limits/bucket.js'
import { noteStreams } from '../answering.js'
import type { Connections } from '../connections.js'
import { answerHeadersOf, type Head, headOf } from './headers.js'
import { PINGS_MAX, watchPulse } from './pulse.js'
import { Relay } from './relay.js'
import { StreamSocket } from './stream-socket.js'

/** Most open streams of a connection. */
export const STREAMS_MAX = 100
/**
 * Longest head, bytes as HTTP/2 counts them: 32 more for each header. The server of HTTP/1.1 refuses heads of more than
 * 64 KiB with an answer; beyond this, a stream ends without one.
 */
const HEAD_MAX = 96 * 1024
/** Node would refuse more than 128. The size of the head bounds them. */
const HEADERS_MAX = 4096

/**
 * Streams that a client may end before their answers: whoever does it more often wants work for nothing. Node's own bound of
 * 1,000, and 33 a second, would stop the session without a word, so this one has to come first.
 */
const CUTS = { requestsPerSecond: 30, burst: 900, requestsAtOnce: 0, policy: '' }

const { NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_FLAG_END_STREAM, NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR } =
  constants

export const ALPN = ['h2', 'http/1.1']

type Limits = Pick<Config, 'headTimeoutMs' | 'idleTimeoutMs' | 'readerPatienceMs'>

export class Http2Front {
  readonly #limits: Limits
  readonly #server: SecureServer
  readonly #connections: Connections
  readonly #leaves: () => boolean
  readonly #http2: Http2Server
  readonly #sessions = new Set<ServerHttp2Session>()

  /** `leaves`: the server stops, and each client is told with its next answer. */
  constructor(server: SecureServer, connections: Connections, limits: Limits, leaves: () => boolean) {
    this.#server = server
    this.#connections = connections
    this.#limits = limits
    this.#leaves = leaves
    this.#http2 = createServer({
      maxHeaderListPairs: HEADERS_MAX,
      maxOutstandingPings: PINGS_MAX,
      settings: { maxConcurrentStreams: STREAMS_MAX, maxHeaderListSize: HEAD_MAX, enablePush: false },
    })
    this.#http2.on('sessionError', (_error, session) => session.destroy())
    // Node has listened for HTTP/1.1 already, and would read HTTP/2 as such.
    const [serve] = server.listeners('secureConnection') as [(socket: TLSSocket) => void]
    server.off('secureConnection', serve)
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      if (socket.alpnProtocol !== 'h2') return serve.call(server, socket)
      this.#http2.once('session', (session) => this.#attend(session, socket))
      this.#http2.emit('connection', new Relay(socket))
    })
  }

  /** Tells all clients to go elsewhere with their next requests. Streams go on to their ends. */
  goAway(): void {
    for (const session of this.#sessions) session.close()
  }

  #attend(session: ServerHttp2Session, client: TLSSocket): void {
    const streams = new Set<StreamSocket>()
    const { headTimeoutMs, idleTimeoutMs } = this.#limits
    // Whatever else it sends, such as pings or a head that never ends, a client needs a request to stay.
    let idle = setTimeout(() => session.close(), headTimeoutMs).unref()
    this.#sessions.add(session)
    noteStreams(client, streams)
    // Not while Node reads from it: the process would end.
    const endPulse = watchPulse(session, client, headTimeoutMs, () => setImmediate(() => session.destroy()))
    session.once('close', () => {
      clearTimeout(idle)
      endPulse()
      this.#sessions.delete(session)
    })
    session.on('error', () => session.destroy())
    const cuts = new Bucket(CUTS, performance.now())
    const countCut = (): void => {
      if (cuts.enter(performance.now()) === undefined) return
      // Not while Node reads from it: the process would end.
      setImmediate(() => session.destroyed || session.destroy(undefined, NGHTTP2_ENHANCE_YOUR_CALM))
    }
    session.on('stream', (stream: ServerHttp2Stream, _headers: unknown, flags: number, raw: readonly string[]) => {
      clearTimeout(idle)
      stream.on('error', () => stream.destroy())
      // The client, or the end of its session, has ended it already.
      if (stream.closed) return countCut()
      const { remoteAddress, remotePort, localPort } = client
      const near = new StreamSocket({ remoteAddress, remotePort, localPort })
      streams.add(near)
      stream.once('close', () => {
        streams.delete(near)
        near.release()
        if (stream.rstCode !== NGHTTP2_NO_ERROR || !stream.headersSent) countCut()
        if (streams.size === 0 && !session.destroyed) idle = setTimeout(() => session.close(), idleTimeoutMs).unref()
      })
      const hasBody = (flags & NGHTTP2_FLAG_END_STREAM) === 0
      // Another connection may have to go for it, and none may while Node reads from one.
      setImmediate(() => {
        if (!stream.closed) this.#serve(stream, near, raw, hasBody)
      })
    })
  }

  #serve(stream: ServerHttp2Stream, near: StreamSocket, raw: readonly string[], hasBody: boolean): void {
    const head = headOf(raw, hasBody)
    // The client of HTTP/1.1 that asks for it would make `GET` of `get`.
    if (head.method === 'CONNECT' || head.method !== head.method.toUpperCase()) return refuseMethod(stream)
    const there = asked(head, near)
    if (there === undefined) return stream.close(NGHTTP2_PROTOCOL_ERROR)
    let answer: IncomingMessage | undefined
    stream.once('close', () => there.destroy())
    near.once('close', () => {
      if (near.isCut || answer?.complete !== true) stream.close(NGHTTP2_CANCEL)
    })
    there.on('error', () => stream.close(NGHTTP2_CANCEL))
    there.on('continue', () => stream.additionalHeaders({ ':status': 100 }))
    there.once('response', (message) => {
      answer = message
      this.#answer(stream, message)
    })
    // A server of HTTP/1.1 that is full answers on the connection itself.
    if (this.#connections.enter(near)) this.#server.emit('secureConnection', near)
    if (hasBody) {
      there.flushHeaders()
      stream.pipe(there)
    } else there.end()
  }

  #answer(stream: ServerHttp2Stream, answer: IncomingMessage): void {
    if (stream.destroyed) return
    stream.respond(answerHeadersOf(answer))
    const { session } = stream
    if (this.#leaves()) session?.close()
    // The rest of a body that is not read.
    const done = (): void => {
      if (!stream.readableEnded) stream.close(NGHTTP2_NO_ERROR)
    }
    // Without a body, such as that of HEAD, it has ended with its head.
    if (stream.writableEnded) {
      answer.resume()
      return done()
    }
    const { readerPatienceMs } = this.#limits
    answer.once('end', () => {
      // The server is done with it, so nobody else looks whether its client reads the rest.
      if (readerPatienceMs > 0) endUnread(stream, readerPatienceMs)
    })
    // Not by `pipeline`: it destroys the stream at once if its answer breaks off, and then the client is not told.
    answer.on('error', () => stream.close(NGHTTP2_CANCEL))
    answer.pipe(stream).once('finish', done)
  }
}

/** Not by the timer of the stream: it begins anew with whatever its connection sends, such as the answer to a ping. */
function endUnread(stream: ServerHttp2Stream, patienceMs: number): void {
  let left = stream.writableLength
  const looks = setInterval(() => {
    if (stream.writableLength === left) stream.close(NGHTTP2_CANCEL)
    left = stream.writableLength
  }, patienceMs).unref()
  stream.once('close', () => clearInterval(looks))
}

/** The request that goes to the server; undefined: HTTP/1.1 cannot say it. */
function asked({ method, path, headers }: Head, { far }: StreamSocket): ClientRequest | undefined {
  try {
    return askFor({ method, path, headers, setHost: false, createConnection: () => far })
  } catch {
    return undefined
  }
}

function refuseMethod(stream: ServerHttp2Stream): void {
  const { status, headers, body } = refusalOfTunnel()
  stream.respond({ ':status': status, ...headers })
  stream.end(body)
  stream.once('finish', () => stream.close(NGHTTP2_NO_ERROR))
}
