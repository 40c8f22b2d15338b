// A change with `If-Match` is refused where nothing has a tag: whoever sends one takes the condition for kept.
import type { RouteOptions } from 'fastify'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { addRouteHook } from './route-hooks.js'
import { say } from '../sentences/sentence.js'

const CHANGES: ReadonlySet<unknown> = new Set(['PUT', 'PATCH', 'DELETE'])
const field = 'if-match'

/** For all routes registered after this call. */
export function refuseUntagged(app: App): void {
  app.addHook('onRoute', (route) => {
    if (!CHANGES.has(route.method) || takesTags(route)) return
    addRouteHook(route, 'preValidation', (request, _reply, done) => {
      const wanted = request.headers[field]
      const holds = wanted === undefined || wanted.trim() === '*'
      done(holds ? undefined : new GatewayError('precondition_failed', say('this resource has no ETag'), { field }))
    })
  })
}

function takesTags({ schema }: RouteOptions): boolean {
  const { properties = {} } = (schema?.headers ?? {}) as { properties?: object }
  return field in properties
}
