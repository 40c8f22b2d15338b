// The owner of a token that a request carries, in a header or a body.
import type { FastifyRequest } from 'fastify'
import { addressOf } from '../network/address.js'
import type { KeptToken } from './api-tokens.js'

/** `token`: the administrator token. */
export type TokenOwner = 'token' | KeptToken

/**
 * Undefined: the token is wrong.
 *
 * @throws GatewayError `too_many_logins`, before the token is looked at
 */
export function tokenFor(request: FastifyRequest, token: string): TokenOwner | undefined {
  const { access, apiTokens, guesses, handOver } = request.server
  // A worker lets nobody in whom the main thread does not know.
  if (handOver !== undefined) return handOver.ownerOf(request.raw)
  return guesses.secret<TokenOwner>(addressOf(request), token, () =>
    access.isToken(token) ? 'token' : apiTokens.accept(token),
  )
}

export const ownerOf = (found: TokenOwner): 'token' | `token:${string}` =>
  found === 'token' ? 'token' : `token:${found.name}`
