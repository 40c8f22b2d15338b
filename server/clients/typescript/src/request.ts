// From an operation and its arguments to a request.
import { printJson } from './json.js'
import { JsonText } from './operation.js'

export interface Parts {
  path?: object | undefined
  query?: object | undefined
  headers?: Record<string, string | undefined> | undefined
  body?: unknown
}

/** The address of a call below that of the server. */
export function addressOf(base: string, template: string, { path = {}, query = {} }: Parts): string {
  const values = new Map<string, unknown>(Object.entries(path))
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined || value === '') throw new TypeError(`the path needs "${name}"`)
    // A browser takes these two for steps, in any spelling.
    if (value === '.' || value === '..') throw new TypeError(`"${name}" cannot be "${String(value)}"`)
    return encodeURIComponent(String(value))
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    const values: unknown[] = Array.isArray(value) ? value : [value]
    for (const one of values) if (one !== undefined) search.append(name, String(one))
  }
  return `${base}${filled}${search.size > 0 ? `?${search.toString()}` : ''}`
}

export interface Sendable {
  body: BodyInit | undefined
  /** Unset: the body is sent as the type that the operation takes. */
  type?: string
  /** Whether it can be sent once only. */
  once: boolean
}

/** `type`: what the operation takes, unless it is JSON. */
export function sendable(body: unknown, type: string | undefined): Sendable {
  if (body === undefined) return { body: undefined, once: false }
  if (body instanceof JsonText) return { body: body.text, type: 'application/json', once: false }
  if (type === undefined && !isBytes(body)) return { body: printJson(body), type: 'application/json', once: false }
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob)
    return { body: body as BodyInit, once: false }
  if (body instanceof ReadableStream) return { body, once: true }
  if (isIterable(body)) return { body: streamOf(body), once: true }
  return { body: printJson(body), type: 'application/json', once: false }
}

const isBytes = (body: unknown): boolean =>
  body instanceof Uint8Array || body instanceof Blob || body instanceof ReadableStream

type Pieces = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

const isIterable = (body: unknown): body is Pieces =>
  typeof body === 'object' &&
  body !== null &&
  !Array.isArray(body) &&
  (Symbol.asyncIterator in body || Symbol.iterator in body)

/** Takes the next piece only when the connection has room for it. */
function streamOf(pieces: Pieces): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const from = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await from.next()
      if (done === true) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    async cancel() {
      await from.return?.()
    },
  })
}
