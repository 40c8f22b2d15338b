// The name by which a request calls the server.
import type { FastifyRequest } from 'fastify'
import { GatewayError } from '../errors.js'
import { say } from '../sentences/sentence.js'

/** `host`: of the header. Without its port, in small letters. */
export const nameOf = (host: string | undefined): string => (host ?? '').replace(/:\d*$/, '').toLowerCase()

const HOST = /^(?:[\w.-]+|\[[\d:a-f.]+\])(?::\d{1,5})?$/i

/**
 * The origin by which a request calls the server: a proxy that is believed may tell any.
 *
 * @throws GatewayError `host_refused` if it is no host
 */
export function originOf({ protocol, host }: FastifyRequest): string {
  const origin = `${protocol === 'https' ? 'https' : 'http'}://${host}`
  if (!HOST.test(host) || !URL.canParse(origin))
    throw new GatewayError('host_refused', say('"{name}" is no name of a server', { name: host.slice(0, 80) }), {
      field: 'host',
    })
  return new URL(origin).origin
}
