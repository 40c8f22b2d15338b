// Headers of every answer, and the check that the caller can read it.
import type { IncomingMessage } from 'node:http'
import { randomBytes } from 'node:crypto'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'

/** A caller's own id is kept where it is harmless in logs. */
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

/** For answers that are data: never cached, and only in a form that the caller accepts. */
export function dataHeaders(scope: App): void {
  scope.addHook('onRequest', (request, reply, done) => {
    reply.header('cache-control', 'no-store')
    const { accept } = request.headers
    if (accept === undefined || accept === '*/*' || accept === 'application/json') return done()
    const produces = request.routeOptions.config.produces ?? JSON_ONLY
    if (accepts(accept, produces)) return done()
    done(new GatewayError('not_acceptable', `this route answers ${produces.join(' or ')}`, { field: 'accept' }))
  })
}

/** Where the time of an answer went, up to its first byte: in the core, and in the gateway around it. */
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

/** Whether an Accept header takes one of the media types. */
export const accepts = (accept: string, produces: readonly string[]): boolean =>
  produces.some((media) => wanted(accept, media).q > 0)

/** How much a media type is wanted, 0 (not at all) to 1, and how closely it is named: 0 by no range, 1 by any type, 2 by `type/*`, 3 itself. */
export interface Wanted {
  q: number
  named: number
}

/** By the range that names the media type the most closely (RFC 9110, 12.5.1). */
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

/** What is no number counts as none was given. */
function qualityOf(parameters: string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return given !== undefined && /^(0|1)(\.\d*)?$/.test(given) ? Math.min(Number(given), 1) : 1
}
