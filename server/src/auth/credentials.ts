// The credentials of a request.
import type { FastifyRequest } from 'fastify'

/**
 * The token of `Authorization: Bearer`, or the password of `Basic` if that is allowed. The case of a scheme does not
 * matter (RFC 9110, 11.1).
 */
export function tokenIn(authorization: string, basic: boolean): string | null {
  const space = authorization.indexOf(' ')
  const [scheme, rest] = [authorization.slice(0, Math.max(space, 0)).toLowerCase(), authorization.slice(space + 1)]
  if (scheme === 'bearer') return rest.trim()
  if (!basic || scheme !== 'basic') return null
  const pair = Buffer.from(rest, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon < 0 ? null : pair.slice(colon + 1)
}

/** The token that a request carries in `Authorization`; null: none. */
export function carriedToken({ headers, url }: Pick<FastifyRequest, 'headers' | 'url'>): string | null {
  const { authorization } = headers
  return authorization === undefined ? null : tokenIn(authorization, /^\/v[12]\//.test(url))
}

/**
 * Whether a browser sent this from one of our own pages. Browsers name the site. Other programs do not, but they do not
 * carry our cookie by accident either.
 */
export function isSameOrigin({
  headers,
  protocol,
  host,
}: Pick<FastifyRequest, 'headers' | 'protocol' | 'host'>): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  if (origin === undefined) return true
  try {
    return new URL(origin).origin === new URL(`${protocol}://${host}`).origin
  } catch {
    return false
  }
}

/** Whether the Host header names this machine. Any other name may point here by DNS rebinding. */
export function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(host)
}
