// A worker answers single records and batches. Every other request goes to the main thread as it comes, and its answer back.
import { Agent, type IncomingMessage, request as askFor, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app-types.js'
import type { TokenOwner } from '../auth/callers.js'
import { carriedToken } from '../auth/credentials.js'
import { DATA_PATH } from '../auth/recorded.js'
import { errorTable } from '../error-table.js'
import { GatewayError, toFailure, toProblem } from '../errors.js'
import { addressOf } from '../network/address.js'
import { CLIENT_HEADER, clientOf, type Inside } from './inside.js'
import type { Owners } from './owners.js'
import { say } from '../sentences/sentence.js'

/** Connections to the main thread that are kept for later requests. */
const IDLE_MAX = 256
/** Headers of one connection alone. */
const OF_A_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade'])

/** Reads that a worker answers itself, beside all writes of records. */
const READS: ReadonlySet<string> = new Set([
  'getLiveness',
  ...['getRecord', 'readRecords', 'getKv', 'hasKv'].flatMap((name) => [name, `${name}WithoutSet`]),
  'readYcsb',
  ...['operateRead', 'operateV2Read'].flatMap((name) => [name, `${name}Set`]),
])

export class HandOver {
  readonly #inside: Inside
  readonly #owners = new WeakMap<IncomingMessage, TokenOwner>()
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: IDLE_MAX })
  readonly #base: string

  /** `base`: the path below which clients reach the server. */
  constructor(inside: Inside, base: string) {
    this.#inside = inside
    this.#base = base
  }

  /** Whose token a request carries that this thread answers. */
  ownerOf(request: IncomingMessage): TokenOwner | undefined {
    return this.#owners.get(request)
  }

  noteOwner(request: IncomingMessage, owner: TokenOwner): void {
    this.#owners.set(request, owner)
  }

  /** Sends a request to the main thread, and its answer to the client. Neither is held here beyond a few pieces. */
  serve(request: IncomingMessage, response: ServerResponse): void {
    const there = askFor({
      socketPath: this.#inside.path,
      agent: this.#agent,
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: [...headersTo(request), CLIENT_HEADER, clientOf(this.#inside, request.socket)],
      setHost: false,
    })
    response.once('close', () => there.destroy())
    request.once('close', () => {
      if (!request.complete) there.destroy()
    })
    let answered = false
    // Behind an answer, only the rest of the request is lost. If the answer breaks off, it says so itself.
    there.on('error', () => answered || unanswered(request, response, this.#base))
    there.once('response', (answer) => {
      answered = true
      response.writeHead(answer.statusCode ?? 500, answer.statusMessage, headersFrom(answer))
      response.flushHeaders()
      pipeline(answer, response, () => {
        // It is read no further, and the answer is there: the rest of the body is nobody's.
        request.unpipe(there)
        request.resume()
      })
    })
    // The main thread says when the client that waits for a word may go on.
    if (request.headers.expect !== undefined) {
      there.once('continue', () => response.writeContinue())
      there.flushHeaders()
    }
    request.pipe(there)
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Has to come before all that answers. */
export function handOverOthers(app: App, way: HandOver, owners: Owners): void {
  const { config } = app
  app.decorateRequest('elsewhere', false)
  const give = (request: FastifyRequest, reply: FastifyReply): void => {
    request.elsewhere = true
    reply.hijack()
    way.serve(request.raw, reply.raw)
  }
  app.addHook('onRequest', (request, reply, done) => {
    if (!isOwn(request)) return give(request, reply)
    if (!config.auth || request.routeOptions.config.public === true) return done()
    // Sessions are the main thread's.
    const token = carriedToken(request)
    if (token === null) return give(request, reply)
    const take = (owner: TokenOwner | undefined): void => {
      if (owner === undefined) return give(request, reply)
      way.noteOwner(request.raw, owner)
      done()
    }
    const owner = owners.of(addressOf(request), token)
    if (owner instanceof Promise) owner.then(take, () => give(request, reply))
    else take(owner)
  })
}

/** Answers that are repeated for a key are kept by the main thread. */
function isOwn({ is404, routeOptions, headers }: FastifyRequest): boolean {
  if (is404 || headers['idempotency-key'] !== undefined) return false
  const operation = routeOptions.schema?.operationId
  return operation !== undefined && (READS.has(operation) || DATA_PATH.has(operation))
}

/** As they came, names and order included. */
function headersTo({ rawHeaders }: IncomingMessage): string[] {
  return filtered(rawHeaders, (name) => !OF_A_CONNECTION.has(name) && name !== CLIENT_HEADER)
}

/** That the connection ends is for the client, too. */
function headersFrom({ rawHeaders, headers }: IncomingMessage): string[] {
  const kept = filtered(rawHeaders, (name) => !OF_A_CONNECTION.has(name) && name !== 'transfer-encoding')
  return headers.connection === 'close' ? [...kept, 'connection', 'close'] : kept
}

function filtered(raw: readonly string[], keeps: (name: string) => boolean): string[] {
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]]
    if (keeps(name.toLowerCase())) kept.push(name, value)
  }
  return kept
}

const MESSAGE = 'the server is closing'

/** The main thread ends with the process, so it is only away while the server closes. */
function unanswered({ url = '' }: IncomingMessage, response: ServerResponse, base: string): void {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const failure = toFailure(new GatewayError('closed', say('the server is closing')))
  const body = JSON.stringify(
    /^\/v[12]\//.test(url) ? { message: MESSAGE, inDoubt: true } : toProblem(failure, { url, id: '' }, base),
  )
  const type = /^\/v[12]\//.test(url) ? 'application/json' : 'application/problem+json'
  response
    .writeHead(errorTable.closed.status, { 'content-type': type, 'retry-after': '1', connection: 'close' })
    .end(body)
}
