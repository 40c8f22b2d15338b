// Links to other pages of a list (RFC 8288), for clients that follow them in place of cursors.
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { App } from '../app-types.js'
import { addRouteHook } from './route-hooks.js'
import { isRead } from '../requests/method.js'

/** For all routes registered after this call. Lists that are sent as they are read know their cursor too late. */
export function linkPages(app: App): void {
  app.addHook('onRoute', (route) => {
    if (isRead(String(route.method)) && hasPages(route)) addRouteHook(route, 'preSerialization', link)
  })
}

function hasPages({ schema }: RouteOptions): boolean {
  const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object }
  return 'cursor' in properties
}

function link(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: () => void): void {
  const { cursor } = (payload ?? {}) as { cursor?: unknown }
  const query = new URLSearchParams(request.url.split('?')[1])
  const links: string[] = []
  if (reply.statusCode >= 400) return done()
  if (query.has('cursor')) links.push(to(query, undefined, 'first'))
  if (typeof cursor === 'string') links.push(to(query, cursor, 'next'))
  if (links.length > 0) reply.header('link', links.join(', '))
  done()
}

/** Relative to the address of this page, whatever a proxy has put before it. */
function to(query: URLSearchParams, cursor: string | undefined, relation: 'first' | 'next'): string {
  const other = new URLSearchParams(query)
  if (cursor === undefined) other.delete('cursor')
  else other.set('cursor', cursor)
  return `<?${other.toString()}>; rel="${relation}"`
}
