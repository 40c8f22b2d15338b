// Headers of pages: scripts and styles only from files of this server, no framing, no referrer that could leak a login code.
import { createHash } from 'node:crypto'
import type { App } from '../app-types.js'
import { isLocalHost } from '../auth/credentials.js'

const ONE_YEAR = 'max-age=31536000'

/** `styles`: hashes of styles that stand in the page itself. */
function policy(styles: readonly string[]): string {
  return [
    "default-src 'self'",
    ["style-src 'self'", ...styles.map((hash) => `'sha256-${hash}'`)].join(' '),
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Of a page that brings `style` with it. */
export const withStyle = (style: string) => ({
  'content-security-policy': policy([createHash('sha256').update(style).digest('base64')]),
})

const pageHeaders = {
  'content-security-policy': policy([]),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

export function pageSecurity(scope: App): void {
  // Other sites may call the API, and never read a page.
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, cors: false }
  })
  scope.addHook('onRequest', (request, reply, done) => {
    reply.headers(pageHeaders)
    // Not for names that other servers of a developer have, too.
    if (request.protocol === 'https' && !isLocalHost(request.host)) reply.header('strict-transport-security', ONE_YEAR)
    done()
  })
}
