// The names that a request may call this server by. A page of another site can make a browser ask any address by a name of its own.
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { nameOf } from './host-name.js'

/** Probes of health ask by address. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

export function checkHosts(app: App): void {
  const { config } = app
  app.addHook('onRequest', (request, _reply, done) => {
    // A reload may have changed them.
    const allowed = config.hosts
    if (allowed.length === 0) return done()
    const name = nameOf(request.host)
    if (allowed.includes(name) || PROBES.has(request.url)) return done()
    const message = `this server is not called ${JSON.stringify(name.slice(0, 80))}; TESSERA_HOSTS has its names`
    done(new GatewayError('host_refused', message, { field: 'host' }))
  })
}
