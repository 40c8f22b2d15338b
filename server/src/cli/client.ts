// A client of the REST API. Bodies and answers of any length pass through it in pieces.
import { readFileSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { checkEncoding, cutOff, objectOf } from './answer.js'
import { CliFailure, exits, failureOf, inputFailure } from './failure.js'

export interface Place {
  /** Its path comes before that of each request, as behind a proxy. */
  url: URL
  /** A Unix socket in place of the address. */
  socket?: string | undefined
  /** Undefined: the server runs with `--no-auth`. */
  token?: string | undefined
}

export interface Sent {
  /** An object goes as JSON. */
  body?: object | string | Readable
  headers?: Record<string, string | undefined>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A problem of an answer is short. What is longer is not one of ours. */
const PROBLEM_MAX = 64 * 1024

export class Client {
  readonly #place: Place

  constructor(place: Place) {
    this.#place = place
  }

  /**
   * Sends a request and resolves with the whole answer, a JSON object. Undefined: a change whose answer is empty (204).
   *
   * @throws CliFailure if the server refuses or cannot be reached
   */
  async call<T>(method: Method, path: string, sent: Sent = {}): Promise<T> {
    const answer = await this.open(method, path, sent)
    const body = await whole(answer)
    const mayBeEmpty = method !== 'GET' && method !== 'POST' && answer.statusCode === 204
    return (mayBeEmpty && body === '' ? undefined : objectOf(body)) as T
  }

  /** As `call`; the answer is a stream. Read it to its end. */
  async open(method: Method, path: string, sent: Sent = {}): Promise<IncomingMessage> {
    const answer = await this.#send(method, path, sent)
    const { statusCode = 0 } = answer
    if (statusCode >= 200 && statusCode < 300) {
      checkEncoding(answer)
      return answer
    }
    throw failureOf(statusCode, await head(answer))
  }

  #send(method: Method, path: string, { body, headers = {} }: Sent): Promise<IncomingMessage> {
    const { url, socket, token } = this.#place
    const plain = typeof body === 'object' && !isReadable(body)
    const bytes = plain ? JSON.stringify(body) : body
    const all = {
      accept: 'application/json',
      'user-agent': 'tessera-cli',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(plain && { 'content-type': 'application/json' }),
      ...(typeof bytes === 'string' && { 'content-length': String(Buffer.byteLength(bytes)) }),
      ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    }
    return new Promise((resolve, reject) => {
      const ask = url.protocol === 'https:' ? secureRequest : plainRequest
      const options = { method, headers: all, ...(socket !== undefined && { socketPath: socket }) }
      const asked = ask(new URL(url.pathname.replace(/\/+$/, '') + path, url), options, resolve)
      asked.on('error', (error: NodeJS.ErrnoException) => reject(unreachable(this.#place, error)))
      if (bytes !== undefined && typeof bytes !== 'string') upload(bytes, asked, reject)
      else asked.end(bytes)
    })
  }
}

/** A server that refuses may close before it has everything: its answer counts. */
function upload(from: Readable, to: ClientRequest, reject: (reason: unknown) => void): void {
  pipeline(from, to).catch((error: NodeJS.ErrnoException) => {
    const fromServer = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']
    if (!fromServer.includes(error.code ?? '')) reject(inputFailure(`the input cannot be read: ${error.message}`))
  })
}

const isReadable = (body: object): body is Readable => 'pipe' in body

async function whole(answer: IncomingMessage): Promise<string> {
  try {
    return await text(answer)
  } catch (error) {
    throw cutOff(error)
  }
}

async function head(answer: IncomingMessage): Promise<string> {
  let body = ''
  answer.setEncoding('utf8')
  for await (const piece of answer) {
    body += piece as string
    if (body.length > PROBLEM_MAX) break
  }
  return body
}

function unreachable({ url, socket }: Place, error: NodeJS.ErrnoException): CliFailure {
  const at = socket ?? url.origin
  const why = error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? 'nobody listens there' : error.message
  return new CliFailure('unreachable', `cannot reach ${at}: ${why}; --url names another server`, exits.unreachable)
}

const URL_DEFAULT = 'http://127.0.0.1:7373'

export interface PlaceOptions {
  url?: string
  socket?: string
  tokenFile?: string
  data?: string
}

/** Where the server is, and the token for it: from options, variables, or the data directory of a server on this machine. */
export function placeOf(options: PlaceOptions, environment: NodeJS.ProcessEnv): Place {
  const url = urlOf(options.url ?? environment['TESSERA_URL'] ?? URL_DEFAULT)
  const { socket } = options
  return { url, socket, token: tokenOf(options, environment, socket !== undefined || isHere(url)) }
}

function urlOf(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw inputFailure(
      `the address of the server must be such as ${URL_DEFAULT}, got ${JSON.stringify(given.slice(0, 80))}`,
    )
  if (url.search !== '' || url.hash !== '') throw inputFailure('the address of the server can have no "?" and no "#"')
  return url
}

const isHere = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

function tokenOf(options: PlaceOptions, environment: NodeJS.ProcessEnv, here: boolean): string | undefined {
  const given = options.tokenFile === undefined ? environment['TESSERA_TOKEN'] : undefined
  if (given !== undefined) return checkToken(given, 'TESSERA_TOKEN')
  const file = options.tokenFile ?? environment['TESSERA_TOKEN_FILE']
  if (file !== undefined) return checkToken(readToken(file), file)
  // The token of the operator of this machine goes to no other one.
  if (!here) return undefined
  const own = `${options.data ?? environment['TESSERA_DATA_DIR'] ?? './data'}/admin.token`
  try {
    return readFileSync(own, 'utf8').trim()
  } catch {
    return undefined
  }
}

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw inputFailure(`the token cannot be read: ${(error as Error).message}`)
  }
}

function checkToken(given: string, from: string): string {
  const token = given.trim()
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) throw inputFailure(`${from} has no token: it must be one word`)
  return token
}
