// A known path with a wrong method answers 405 with Allow, not 404.
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { METHODS } from './wire-errors.js'

/** Collects the routes registered after this call. `refuseOthers` then refuses the methods that they do not have. */
export function collectMethods(app: App): { refuseOthers: () => void } {
  const byPath = new Map<string, Set<string>>()
  let collecting = true
  app.addHook('onRoute', ({ url, method }) => {
    if (!collecting || url.includes('*')) return
    const methods = byPath.get(url) ?? new Set()
    byPath.set(url, methods)
    for (const one of [method].flat()) methods.add(one)
  })
  return {
    refuseOthers: () => {
      collecting = false
      for (const [url, allowed] of byPath) {
        const refused = METHODS.filter((method) => !allowed.has(method))
        const allow = [...allowed].join(', ')
        app.route({
          url,
          method: refused,
          schema: { hide: true },
          onRequest: (request, _reply, done) => {
            done(
              new GatewayError('method_not_allowed', `the method must be one of ${allow}, got ${request.method}`, {
                headers: { allow },
              }),
            )
          },
          handler: () => undefined,
        })
      }
    },
  }
}
