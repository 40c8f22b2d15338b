// Headers of pages: scripts only from this server, no framing, no referrer that could leak a login code.
import type { App } from '../app-types.js'
import { isLocalHost } from '../auth/credentials.js'

const ONE_YEAR = 'max-age=31536000'

const pageHeaders = {
  'content-security-policy': [
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

export function pageSecurity(scope: App): void {
  scope.addHook('onRequest', (request, reply, done) => {
    reply.headers(pageHeaders)
    // Not for names that other servers of a developer have, too.
    if (request.protocol === 'https' && !isLocalHost(request.host)) reply.header('strict-transport-security', ONE_YEAR)
    done()
  })
}
