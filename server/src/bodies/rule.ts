// How a route takes its body: the option `body` of its config, so that types and limits stand where the route is declared.
import type { FastifyRequest } from 'fastify'
import { GatewayError } from '../errors.js'
import { parseStrictJson } from '../json/strict.js'
import { say } from '../sentences/sentence.js'

/** Largest body of a control request, bytes. */
export const CONTROL_LIMIT = 1024 * 1024

export interface BodyRule {
  /** Media types that the route takes; all others answer 415. `*`: any type, or none. */
  types: readonly string[] | '*'
  /** Largest body, bytes. Unset: `bodyLimitBytes` of the configuration. */
  limit?: number
  /** Whether it may come compressed. Unset: no. */
  compressed?: boolean
  /** Whether the body counts against the memory budget of all requests. */
  counted: boolean
  /** Whether a route with a schema for its body refuses requests without one before it checks the schema. */
  required: boolean
  /** Makes of the whole body what the handler gets. */
  parse: (body: Buffer, request: FastifyRequest) => unknown
}

/** JSON of control requests. Members named in `raw` stay as written. */
export const json = ({ raw = [] as readonly string[], required = true } = {}): BodyRule => ({
  types: ['application/json'],
  limit: CONTROL_LIMIT,
  counted: false,
  required,
  parse: (body) => {
    if (body.length === 0) throw new GatewayError('body_missing', say('the body is empty'))
    return parseStrictJson(body, raw)
  },
})

/** Record bodies: bytes that the core parses. */
export const bytes = (types: BodyRule['types'], { compressed = false } = {}): BodyRule => ({
  types,
  compressed,
  counted: true,
  required: false,
  parse: (body) => body,
})

/** No body. Clients may name a type all the same. */
export const nothing: BodyRule = {
  ...json({ required: false }),
  types: '*',
  parse: (body, { mediaType }) => {
    if (body.length === 0) return undefined
    const fields = mediaType === 'application/json' ? parseStrictJson(body, []) : undefined
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
      throw new GatewayError('field_invalid', say('this route takes no body'), { field: 'body' })
    const [field] = Object.keys(fields)
    if (field === undefined) return undefined
    throw new GatewayError(
      'field_unknown',
      say('{field} is not a field of the body: this route takes none', { field }),
      { field },
    )
  },
}

/** The body of a route that takes `bytes`. */
export function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body) && body.length > 0) return body
  throw new GatewayError('body_missing', say('this route needs a body'))
}

/** The filter of a body whose `where` stayed as written. */
export const whereOf = (where: unknown) => (Buffer.isBuffer(where) ? { where } : {})

/** Like `whereOf`, for `order`. */
export const orderOf = (order: unknown) => (Buffer.isBuffer(order) ? { order } : {})

/** Like `whereOf`, for `aggregate`. */
export const aggregateOf = (aggregate: unknown) => (Buffer.isBuffer(aggregate) ? { aggregate } : {})
