// The proxies whose headers are believed. A reload may change them.
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyRequest } from 'fastify'
import type { RequestListener } from 'node:http'
import type { Config } from '../config.js'

/** For Fastify: whether what the caller at this address says about who is behind it is believed. */
export function trustedProxies(config: Pick<Config, 'trustedProxies'>): (address: string, hop: number) => boolean {
  let listed = config.trustedProxies
  let trusts = proxyAddr.compile(listed)
  return (address, hop) => {
    if (listed !== config.trustedProxies) {
      listed = config.trustedProxies
      trusts = proxyAddr.compile(listed)
    }
    // Clients of a Unix socket have no address.
    return listed.length > 0 && address !== undefined && trusts(address, hop)
  }
}

/** The `Host` that a request has for a server that believes these proxies; as Fastify reads it. */
export function hostBehind({ headers, raw }: FastifyRequest, proxies: readonly string[]): string | undefined {
  const forwarded = headers['x-forwarded-host']
  const trusts = trustedProxies({ trustedProxies: [...proxies] })
  if (forwarded === undefined || !trusts(raw.socket.remoteAddress as string, 0)) return headers.host
  return String(forwarded).split(',').at(-1)?.trim()
}

/**
 * The handler to call for each request instead of `handle`, which sees one scheme in `X-Forwarded-Proto`: in small letters, and of a list the
 * one that the outermost of the believed proxies has told. Each proxy of a chain adds the scheme by which it was called.
 */
export function withScheme(
  trusts: (address: string, hop: number) => boolean,
  handle: RequestListener,
): RequestListener {
  return (request, response) => {
    const { headers } = request
    const told = headers['x-forwarded-proto']
    if (told !== undefined) {
      const schemes = String(told).split(',')
      const believed = schemes.length === 1 ? 1 : Math.max(1, proxyAddr.all(request, trusts).length - 1)
      const scheme = schemes.slice(-believed)[0]?.trim().toLowerCase()
      headers['x-forwarded-proto'] = scheme === 'https' ? 'https' : 'http'
    }
    handle(request, response)
  }
}
