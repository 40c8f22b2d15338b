// Tokens by which a provider says that somebody was signed out (OpenID Connect Back-Channel Logout 1.0).
import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from 'jose'
import { GatewayError } from '../../errors.js'
import { boundedFetch } from './bounded-fetch.js'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** What is older was kept by somebody. */
const AGE_MAX = '5m'
const AGE_MAX_MS = 5 * 60_000
const TIMEOUT_MS = 10_000
/** Signatures that need the provider's private key. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const TYPES: ReadonlySet<string | undefined> = new Set([undefined, 'jwt', 'logout+jwt', 'application/logout+jwt'])
/** Tokens that are remembered. Each has the signature of the provider, so nobody else fills this. */
const SEEN_MAX = 10_000

/** Whose sessions end: those of a person, one session of the provider, or that of a person. */
export interface SignedOut {
  subject?: string
  sid?: string
}

export interface Issuer {
  issuer: string
  keys: string
  clientId: string
  toleranceSeconds: number
}

export class LogoutTokens {
  #keys: { url: string; find: ReturnType<typeof createRemoteJWKSet> } | undefined
  /** When each may be forgotten, by its id. */
  readonly #seen = new Map<string, number>()

  /**
   * Checks a token, which is taken once.
   *
   * @throws GatewayError `logout_token_invalid`, and errors of `jose` if its keys cannot be read
   */
  async read(token: string, { issuer, keys, clientId, toleranceSeconds }: Issuer): Promise<SignedOut> {
    const { payload, protectedHeader } = await jwtVerify(token, this.#keysAt(keys), {
      issuer,
      audience: clientId,
      algorithms: ALGORITHMS,
      clockTolerance: toleranceSeconds,
      maxTokenAge: AGE_MAX,
      requiredClaims: ['iat', 'jti', 'events'],
    })
    if (!TYPES.has(protectedHeader.typ?.toLowerCase())) refuse('it is a token of another type')
    const signedOut = signedOutIn(payload)
    this.#once(payload.jti ?? '', AGE_MAX_MS + 2 * toleranceSeconds * 1000)
    return signedOut
  }

  #keysAt(url: string): ReturnType<typeof createRemoteJWKSet> {
    if (this.#keys?.url !== url) {
      const options = { timeoutDuration: TIMEOUT_MS, [customFetch]: boundedFetch }
      this.#keys = { url, find: createRemoteJWKSet(new URL(url), options) }
    }
    return this.#keys.find
  }

  #once(id: string, lifeMs: number): void {
    const nowMs = Date.now()
    for (const [seen, untilMs] of this.#seen)
      if (untilMs <= nowMs || this.#seen.size >= SEEN_MAX) this.#seen.delete(seen)
    if (id === '' || this.#seen.has(id)) refuse('it has come before')
    this.#seen.set(id, nowMs + lifeMs)
  }
}

function signedOutIn({ sub, sid, nonce, events }: JWTPayload): SignedOut {
  const event: unknown = Object(events)[EVENT]
  if (typeof event !== 'object' || event === null) refuse('it tells of no logout')
  // So nobody passes an ID token off as one.
  if (nonce !== undefined) refuse('it has a nonce')
  if (sid !== undefined && (typeof sid !== 'string' || sid === '')) refuse('its sid is no text')
  if (sub === undefined && sid === undefined) refuse('it names nobody')
  return { ...(sub !== undefined && { subject: sub }), ...(typeof sid === 'string' && { sid }) }
}

function refuse(why: string): never {
  throw new GatewayError('logout_token_invalid', `the logout token is not valid: ${why}`)
}
