// Headers of pages: scripts only from this server, no framing, no referrer that could leak a login code.
import type { App } from '../app-types.js'

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
  scope.addHook('onRequest', (_request, reply, done) => {
    reply.headers(pageHeaders)
    done()
  })
}
