// JSON or MessagePack: Content-Type selects it for the body, Accept for the answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../../app-types.js'
import { type BodyRule, CONTROL_LIMIT } from '../../../bodies/rule.js'
import { GatewayError } from '../../../errors.js'
import { parseStrictJson } from '../../../json/strict.js'
import { unpack } from '../../../msgpack/decode.js'
import { encode, type Wire } from '../../../msgpack/encode.js'

const JSON_TYPE = 'application/json'
const PACKED_TYPE = 'application/msgpack'

/** Media types of the compatible API. */
export const mediaTypes = [JSON_TYPE, PACKED_TYPE]

export const shapeOf = (wire: Wire): 'v1' | 'packed' => (wire === 'msgpack' ? 'packed' : 'v1')
export const typeOf = (wire: Wire): string => (wire === 'msgpack' ? PACKED_TYPE : JSON_TYPE)

/** The format of the body. */
export const bodyWire = ({ headers }: FastifyRequest): Wire =>
  headers['content-type']?.startsWith(PACKED_TYPE) === true ? 'msgpack' : 'json'

/** The format of the answer: that of the range with the highest quality; if equal, the first. */
export function answerWire({ headers }: FastifyRequest): Wire {
  const ranges = (headers.accept ?? JSON_TYPE).split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) }
  })
  const named = ranges.filter(
    ({ type, quality }) => quality > 0 && (type === PACKED_TYPE || /^(\*|application)\/(\*|json)$/.test(type)),
  )
  const best = named.toSorted((a, b) => b.quality - a.quality)[0]
  return best?.type === PACKED_TYPE ? 'msgpack' : 'json'
}

/** Parses a body; members named in `raw` stay as written. */
export const parse = (bytes: Buffer, wire: Wire, raw: readonly string[] = []): unknown =>
  wire === 'msgpack' ? unpack(bytes, raw) : parseStrictJson(bytes, raw)

/** Parses a scalar that stayed as written. Integers become exact bigints. */
export function scalar(bytes: Buffer, wire: Wire): unknown {
  const text = bytes.toString().trim()
  if (wire === 'json') return /^-?\d{1,20}$/.test(text) ? BigInt(text) : JSON.parse(text)
  const value = unpack(bytes)
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
}

/** Bodies in both formats, parsed; members named in `raw` stay as written. */
export const frame = ({ raw = [] as readonly string[], limit = CONTROL_LIMIT } = {}): BodyRule => ({
  types: mediaTypes,
  limit,
  counted: true,
  required: false,
  parse: (body, request) => {
    if (body.length === 0) throw new GatewayError('body_missing', 'Required request body is missing')
    return parse(body, bodyWire(request), raw)
  },
})

/** Sends an answer that frames records. */
export function sendFrame(request: FastifyRequest, reply: FastifyReply, value: unknown): FastifyReply {
  const wire = answerWire(request)
  return reply.type(typeOf(wire)).send(encode(wire, value))
}

/** An answer without a body. */
export const sendNothing = (reply: Pick<FastifyReply, 'code'>, status: number): FastifyReply =>
  reply.code(status).send()

/** Encodes answers that routes leave to the serializer, including errors, in the requested format. */
export function packAnswers(scope: App): void {
  scope.addHook('onSend', (request, reply, payload, done) => {
    const json =
      typeof payload === 'string' && payload !== '' && String(reply.getHeader('content-type')).startsWith(JSON_TYPE)
    if (!json || answerWire(request) === 'json') return done(null, payload)
    reply.type(PACKED_TYPE).removeHeader('content-length')
    done(null, encode('msgpack', JSON.parse(payload)))
  })
}
