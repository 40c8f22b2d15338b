// The names that a request may call this server by. A page of another site can make a browser ask any address by a name of its own.
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { nameOf } from './host-name.js'
import { say } from '../sentences/sentence.js'

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
    const message = say('this server is not called "{name}"; TESSERA_HOSTS has its names', { name: name.slice(0, 80) })
    done(new GatewayError('host_refused', message, { field: 'host' }))
  })
}
