// Headers of every answer, and the check of Accept.
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { accepts } from '../requests/accept.js'
import { say } from '../sentences/sentence.js'

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
    const message = say('Accept must allow {names}, got {given}', {
      names: produces.join(' or '),
      given: accept.slice(0, 80),
    })
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
      // Calls of one request may overlap in the core, so that their sum is longer than the request.
      `core;dur=${coreMs.toFixed(3)}, gateway;dur=${Math.max(reply.elapsedTime - coreMs, 0).toFixed(3)}` +
        // Where a browser, or a proxy without traces, finds the trace.
        (request.trace === undefined ? '' : `, traceparent;desc="${request.trace.parent}"`),
    )
    done()
  })
}

const JSON_ONLY = ['application/json'] as const
