// Answers in MessagePack of routes that declare `packed`. Their JSON is written anew, whole.
import type { onSendHookHandler } from 'fastify'
import type { App } from '../app-types.js'
import { JSON_TYPE, PACKED, wantsPacked } from '../answers/preferred.js'
import { packJson } from '../msgpack/from-json.js'
import { addRouteHook } from './route-hooks.js'

/** Has to come before answers are compressed, and behind whatever keeps them. */
export function packAnswers(app: App): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.packed !== true) return
    route.config.produces = [...(route.config.produces ?? [JSON_TYPE]), PACKED]
    addRouteHook(route, 'onSend', pack)
  })
}

const pack: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (!wantsPacked(request)) return done(null, payload)
  const json = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.toString() : ''
  const type = String(reply.getHeader('content-type'))
  if (json === '' || !type.startsWith(JSON_TYPE)) return done(null, payload)
  reply.type(PACKED).removeHeader('content-length')
  done(null, packJson(json))
}
