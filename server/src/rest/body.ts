// Reads bodies as bytes, with limits on size and time. A body is complete or refused.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { parseStrictJson } from '../json/strict.js'
import { addRouteHook } from '../plugins/route-hooks.js'
import { FREE_BYTES, takeRoom } from './room.js'

/** Largest body of a control request, bytes. */
export const CONTROL_LIMIT = 1024 * 1024
/** Bytes that a body of unknown length reserves at once. */
const ROOM_STEP = 1024 * 1024

interface BodyRules {
  limit: number
  timeoutMs: number
  /** Whether the body counts against the budget of all requests. */
  counted?: boolean
}

/** Accepts JSON of control requests. Members named in `raw` stay as written. */
export function acceptControlJson(app: App, raw: readonly string[] = []): void {
  const rules = { limit: CONTROL_LIMIT, timeoutMs: app.config.bodyTimeoutMs }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const body = await readBody(request, payload, rules)
    if (body.length === 0) throw new GatewayError('body_missing', 'the body is empty')
    return parseStrictJson(body, raw)
  })
  app.addHook('onRoute', (route) => {
    if (route.schema?.body !== undefined && route.config?.bodyOptional !== true) {
      addRouteHook(route, 'preValidation', needBody)
    }
  })
}

/** The filter of a body whose `where` stayed as written. */
export const whereOf = (where: unknown) => (Buffer.isBuffer(where) ? { where } : {})

/** Like `whereOf`, for `order`. */
export const orderOf = (order: unknown) => (Buffer.isBuffer(order) ? { order } : {})

/** Like `whereOf`, for `aggregate`. */
export const aggregateOf = (aggregate: unknown) => (Buffer.isBuffer(aggregate) ? { aggregate } : {})

function needBody(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const missing = request.body === undefined || request.body === null
  done(missing ? new GatewayError('body_missing', 'this route needs a body') : undefined)
}

/** Record bodies: bytes that the core parses. */
export function acceptBytes(app: App, mediaTypes: string[]): void {
  const rules = { limit: app.config.bodyLimitBytes, timeoutMs: app.config.bodyTimeoutMs, counted: true }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(mediaTypes, (request: FastifyRequest, payload: Readable) =>
    readBody(request, payload, rules),
  )
}

/** The body that `acceptBytes` read. */
export function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body) && body.length > 0) return body
  throw new GatewayError('body_missing', 'this route needs a body')
}

/** Uploads of any type and size: the handler reads the stream. */
export function acceptStream(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request: FastifyRequest, payload: Readable, done) => {
    done(null, payload)
  })
}

/**
 * Reads a whole body.
 *
 * @throws GatewayError `body_too_large`, `body_truncated`, `body_timeout`, `encoding_unsupported`, `memory_busy`
 */
export async function readBody(request: FastifyRequest, payload: Readable, rules: BodyRules): Promise<Buffer> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new GatewayError('encoding_unsupported', `this route does not support Content-Encoding, got ${encoding}`, {
      field: 'content-encoding',
    })
  }
  const tooLarge = () => new GatewayError('body_too_large', `the body must be at most ${rules.limit} bytes`)
  const truncated = () => new GatewayError('body_truncated', 'the connection closed before the whole body arrived')
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > rules.limit) throw tooLarge()
  let room = rules.counted === true ? FREE_BYTES : Number.POSITIVE_INFINITY
  if (announced > room) {
    await takeRoom(request, announced)
    if (payload.destroyed) throw truncated()
    room = announced
  }

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const timer = setTimeout(() => {
      finish(() => reject(new GatewayError('body_timeout', `the body did not arrive within ${rules.timeoutMs} ms`)))
    }, rules.timeoutMs)
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      payload.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
      settle()
    }
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length > rules.limit) return finish(() => reject(tooLarge()))
      chunks.push(chunk)
      if (length > room) void makeRoom()
    }
    // Its length is not known, so it reserves memory as it arrives.
    const makeRoom = async () => {
      payload.pause()
      try {
        await takeRoom(request, ROOM_STEP)
        room += ROOM_STEP
        payload.resume()
      } catch (error) {
        finish(() => reject(error as Error))
      }
    }
    const onEnd = () => {
      const [first] = chunks
      finish(() => resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length)))
    }
    const onBroken = () => finish(() => reject(truncated()))
    payload.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
  })
}
