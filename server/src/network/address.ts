// The address that a request comes from.
import type { FastifyRequest } from 'fastify'
import { isIP } from 'node:net'

/** `203.0.113.9:41234`, `[2001:db8::1]:41234` or `[2001:db8::1]`: some proxies add the port. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([^\]]+)\](?::\d+)?)$/

/**
 * The client's, as a trusted proxy tells it; if that is no address, the proxy's own. Undefined: a client of the Unix
 * socket.
 */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string | undefined {
  if (isIP(ip) !== 0) return ip
  const [, v4, v6] = WITH_PORT.exec(ip ?? '') ?? []
  const told = v4 ?? v6 ?? ''
  return isIP(told) === 0 ? socket.remoteAddress : told
}
