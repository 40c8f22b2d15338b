// Headers of every answer, and the check of Accept.
import type { IncomingMessage } from 'node:http'
import { randomBytes } from 'node:crypto'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'

/** Keeps the caller's own id if it is harmless in logs. */
const CALLER_ID = /^[A-Za-z0-9._-]{1,64}$/

const prefix = randomBytes(4).toString('hex')
let counter = 0

export function requestId(raw: IncomingMessage): string {
  const given = raw.headers['x-request-id']
  if (typeof given === 'string' && CALLER_ID.test(given)) return given
  counter += 1
  return `${prefix}-${counter.toString(36)}`
}

/** The request's id, on every answer. */
export function identify(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
}

/** For answers with data: never cached, and only of a type that the caller accepts. */
export function dataHeaders(scope: App): void {
  scope.addHook('onRequest', (request, reply, done) => {
    reply.header('cache-control', 'no-store')
    const { accept } = request.headers
    if (accept === undefined || accept === '*/*' || accept === 'application/json') return done()
    const produces = request.routeOptions.config.produces ?? JSON_ONLY
    if (accepts(accept, produces)) return done()
    const message = `Accept must allow ${produces.join(' or ')}, got ${accept.slice(0, 80)}`
    done(new GatewayError('not_acceptable', message, { field: 'accept' }))
  })
}

/** Reports the time up to the first byte of the answer: in the core, and in the gateway. */
export function serverTiming(app: App): void {
  app.decorateRequest('coreMs', 0)
  app.addHook('onSend', (request, reply, _payload, done) => {
    const coreMs = request.coreMs
    reply.header(
      'server-timing',
      `core;dur=${coreMs.toFixed(3)}, gateway;dur=${(reply.elapsedTime - coreMs).toFixed(3)}`,
    )
    done()
  })
}

const JSON_ONLY = ['application/json'] as const

/** Whether an Accept header allows one of the media types. */
export const accepts = (accept: string, produces: readonly string[]): boolean =>
  produces.some((media) => wanted(accept, media).q > 0)

/**
 * Quality of a media type, 0 (not acceptable) to 1, and how exactly it is named: 0 not, 1 by any
 * type, 2 by `type/*`, 3 itself.
 */
export interface Wanted {
  q: number
  named: number
}

/** Uses the most specific range that matches the media type (RFC 9110, 12.5.1). */
export function wanted(accept: string, media: string): Wanted {
  const names = ['*/*', `${media.slice(0, media.indexOf('/'))}/*`, media]
  let best: Wanted = { q: 0, named: 0 }
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const named = names.indexOf(type) + 1
    if (named > best.named) best = { q: qualityOf(parameters), named }
  }
  return best
}

/** A quality that is not a number is ignored. */
function qualityOf(parameters: string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return given !== undefined && /^(0|1)(\.\d*)?$/.test(given) ? Math.min(Number(given), 1) : 1
}
