// Cookies of a browser: its session, and that it has signed a user in before. Browsers do not tell the ports of a host
// apart, so the names of cookies do.
import type { FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import type { Credential } from './sessions.js'

/** A browser keeps the mark of a known device so long, also after the session has ended. */
const MARK_LIFE_MS = 90 * 24 * 60 * 60_000

/** The server, and whether the request came over TLS. */
export interface Place {
  id: string
  secure: boolean
  /** The path below which a browser reaches it; empty: the root. */
  path: string
}

export const placeOf = ({ server, protocol }: FastifyRequest): Place => ({
  id: server.access.id,
  secure: protocol === 'https',
  path: server.config.basePath,
})

export const sessionIn = (request: FastifyRequest): string | null =>
  valueIn(request.headers, nameOf('session', placeOf(request)))

export const markIn = (request: FastifyRequest): string | null =>
  valueIn(request.headers, nameOf('known', placeOf(request)))

/** Sealed: longer than others. */
const FLOW_MAX = 3500

/** A sign-in that is under way at a provider. */
export const flowIn = (request: FastifyRequest): string | null =>
  valueIn(request.headers, nameOf('flow', placeOf(request)), FLOW_MAX)

/** Browsers send it when the provider leads them back, which is another site. */
export const flowCookie = (flow: Credential, place: Place): string => cookie(nameOf('flow', place), flow, place, 'Lax')

export const sessionCookie = (session: Credential, place: Place): string =>
  cookie(nameOf('session', place), session, place)

export const markCookie = (mark: string, place: Place): string =>
  cookie(nameOf('known', place), { secret: mark, expiresAtMs: Date.now() + MARK_LIFE_MS }, place)

/** Deletes the cookie of the session. */
export const noSession: Credential = { secret: '', expiresAtMs: 0 }

/**
 * With `__Host-`, no other host and no plain HTTP can set it. It is for whole hosts; below a path, `__Secure-` keeps plain
 * HTTP out.
 */
const nameOf = (kind: 'session' | 'known' | 'flow', { id, secure, path }: Place): string => {
  const prefix = path === '' ? '__Host-' : '__Secure-'
  return `${secure ? prefix : ''}tessera_${kind}_${id}`
}

/** Scripts cannot read it, and browsers do not send it for pages of other sites. */
function cookie(
  name: string,
  { secret, expiresAtMs }: Credential,
  { secure, path }: Place,
  sameSite: 'Strict' | 'Lax' = 'Strict',
): string {
  const maxAgeSeconds = Math.max(0, Math.floor((expiresAtMs - Date.now()) / 1000))
  const attributes = `Path=${path === '' ? '/' : path}; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}${secure ? '; Secure' : ''}`
  return `${name}=${secret}; ${attributes}`
}

function valueIn({ cookie: header = '' }: IncomingHttpHeaders, name: string, most = 128): string | null {
  for (const pair of header.split(';')) {
    const [key, value = ''] = pair.trim().split('=')
    if (key === name && value.length <= most && /^[A-Za-z0-9_.-]+$/.test(value)) return value
  }
  return null
}
