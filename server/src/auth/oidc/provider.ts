// A provider of sign-in by OpenID Connect: authorization code with PKCE. It is first asked when somebody signs in, so the
// server starts without it.
import { errors } from 'jose'
import * as client from 'openid-client'
import { GatewayError } from '../../errors.js'
import { type Grants, grantsOf } from '../grants.js'
import { boundedFetch } from './bounded-fetch.js'
import { type Claims, grantsFor, hasClaim, nameIn } from './claims.js'
import type { Flow } from './flow.js'
import { LogoutTokens, type SignedOut } from './logout-token.js'
import type { OidcSettings } from './settings.js'
import { say } from '../../sentences/sentence.js'

const TIMEOUT_SECONDS = 10
/** What the provider says about itself is read again after this time. */
const FRESH_MS = 60 * 60_000
/** If it could not be read, nobody asks again for this time. */
const AGAIN_MS = 5000
/** Sign-ins that ask the provider at once. */
const AT_ONCE = 32
/** Clocks of two machines. */
const TOLERANCE_SECONDS = 30
/** Longest ID token that goes into an address. */
const HINT_MAX = 4096
/** Failures of ours or of the provider: signing in again later may work. */
const UNAVAILABLE: ReadonlySet<string | undefined> = new Set([
  'OAUTH_ABORT',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_INVALID_SERVER_METADATA',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_PARSE_ERROR',
  'OAUTH_REQUEST_PROTOCOL_FORBIDDEN',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_TIMEOUT',
])

/** What a provider may say in its answer to a browser (RFC 6749 and OpenID Connect Core). */
const OAUTH_ERRORS: ReadonlySet<string> = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_response_type',
])

/** Somebody who has signed in at the provider. */
export interface Person {
  /** Never another person, at this provider. */
  subject: string
  name: string
  grants: Grants
  /** The session at the provider, if it tells. */
  sid: string | undefined
  /** Tells the provider who signs out there; undefined: it is too long for an address. */
  idToken: string | undefined
  /** When the provider asked who the person is, ms; 0: it does not say. */
  signedInAtMs: number
}

export type Warn = (failure: object, message: string) => void

export class Provider {
  readonly settings: OidcSettings
  readonly #warn: Warn
  #found: { configuration: Promise<client.Configuration>; untilMs: number } | undefined
  readonly #logoutTokens = new LogoutTokens()
  #asking = 0

  constructor(settings: OidcSettings, warn: Warn) {
    this.settings = settings
    this.#warn = warn
  }

  /** Whom people sign in with. */
  get name(): string {
    return this.settings.issuer.host
  }

  /**
   * Where to send a browser, and what to keep for its return. `maxAgeSeconds`: the provider has to ask who the person
   * is, also if it knows.
   *
   * @throws GatewayError `oidc_unavailable`, `overloaded`
   */
  begin(redirectUri: string, next: string, maxAgeSeconds?: number): Promise<{ url: URL; flow: Flow }> {
    return this.#asked(async (configuration) => {
      const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: this.settings.scopes,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...(maxAgeSeconds !== undefined && { prompt: 'login', max_age: String(maxAgeSeconds) }),
      })
      const flow: Flow = { state, nonce, verifier, redirectUri, next }
      return { url, flow: maxAgeSeconds === undefined ? flow : { ...flow, maxAgeSeconds } }
    })
  }

  /**
   * Trades the code of a return for the person.
   *
   * @param search the query string of the return
   * @throws GatewayError `oidc_refused`, `oidc_invalid`, `oidc_name_missing`, `oidc_no_grants`, `oidc_unavailable`, `overloaded`
   */
  finish(search: string, { state, nonce, verifier, redirectUri, maxAgeSeconds }: Flow): Promise<Person> {
    return this.#asked(async (configuration) => {
      const tokens = await client.authorizationCodeGrant(configuration, new URL(`${redirectUri}${search}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
        ...(maxAgeSeconds !== undefined && { maxAge: maxAgeSeconds }),
      })
      const claims = tokens.claims()
      if (claims === undefined || claims.sub === '')
        throw new GatewayError('oidc_invalid', say('the provider sent no ID token, or one that names nobody'))
      const sid = typeof claims['sid'] === 'string' ? claims['sid'] : undefined
      const found = this.#person(await this.#allClaims(configuration, claims, tokens.access_token))
      const { id_token: idToken = '' } = tokens
      return {
        ...found,
        subject: claims.sub,
        sid,
        idToken: idToken.length > HINT_MAX ? undefined : idToken,
        // Its clock may be ahead of ours.
        signedInAtMs: Math.min((claims.auth_time ?? 0) * 1000, Date.now()),
      }
    })
  }

  /**
   * Where a browser signs out at the provider, too, and comes `back` from (OpenID Connect RP-Initiated Logout 1.0).
   * Undefined: the provider has no such place that is safe. Nobody is asked: a sign-out waits for no provider.
   */
  async endOf({ idToken }: Partial<Pick<Person, 'idToken'>>, back: string): Promise<string | undefined> {
    try {
      const configuration = await this.#found?.configuration
      if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined
      return client.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: back,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      }).href
    } catch (error) {
      this.#warn({ reason: (error as Error).message }, 'nobody can be signed out at the provider')
      return undefined
    }
  }

  /**
   * Whom the provider has signed out, by the token that it has sent.
   *
   * @throws GatewayError `logout_token_invalid`, `oidc_unavailable`, `overloaded`
   */
  signedOut(token: string): Promise<SignedOut> {
    return this.#asked(async (configuration) => {
      const { issuer, jwks_uri: keys } = configuration.serverMetadata()
      if (keys === undefined) throw new GatewayError('oidc_unavailable', say('the provider has no keys'))
      const { clientId } = this.settings
      const expected = { issuer, keys, clientId, toleranceSeconds: TOLERANCE_SECONDS }
      try {
        return await this.#logoutTokens.read(token, expected)
      } catch (error) {
        // The code of those that are about the answer with the keys.
        const isWrong =
          error instanceof errors.JOSEError && !['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT'].includes(error.code)
        throw isWrong ? new GatewayError('logout_token_invalid', `the logout token is not valid: ${error.code}`) : error
      }
    })
  }

  /** Many providers tell names and groups only when they are asked for them. */
  async #allClaims(configuration: client.Configuration, claims: client.IDToken, token: string): Promise<Claims> {
    const { userClaim, grantMap } = this.settings
    const isComplete = [userClaim, grantMap.claim].every((claim) => hasClaim(claims, claim))
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims
    return { ...(await client.fetchUserInfo(configuration, token, claims.sub)), ...claims }
  }

  #person(claims: Claims): Pick<Person, 'name' | 'grants'> {
    const { userClaim, grantMap } = this.settings
    const name = nameIn(claims, userClaim)
    if (name === undefined)
      throw new GatewayError(
        'oidc_name_missing',
        say('the provider sends no claim {claim} with a name', { claim: userClaim }),
      )
    const grants = grantsFor(grantMap, claims)
    if (grants.length === 0)
      throw new GatewayError(
        'oidc_no_grants',
        say('no value of the claim {claim} grants anything here', { claim: grantMap.claim }),
      )
    return { name, grants: grantsOf(grants) }
  }

  async #asked<T>(ask: (configuration: client.Configuration) => Promise<T>): Promise<T> {
    if (this.#asking >= AT_ONCE)
      throw new GatewayError('overloaded', say('too many people are signing in at once; try again'))
    this.#asking += 1
    try {
      return await ask(await this.#configuration().catch((error: unknown) => this.#unread(error)))
    } catch (error) {
      throw this.#failure(error)
    } finally {
      this.#asking -= 1
    }
  }

  /** One reading for all who come meanwhile. */
  #configuration(): Promise<client.Configuration> {
    const nowMs = performance.now()
    if (this.#found !== undefined && nowMs < this.#found.untilMs) return this.#found.configuration
    const configuration = this.#discover()
    const found = { configuration, untilMs: nowMs + FRESH_MS }
    this.#found = found
    configuration.catch(() => {
      found.untilMs = performance.now() + AGAIN_MS
    })
    return configuration
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings
    const secure = issuer.protocol === 'https:'
    const configuration = await client.discovery(
      issuer,
      clientId,
      { [client.clockTolerance]: TOLERANCE_SECONDS },
      authenticationWith(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        [client.customFetch]: boundedFetch as client.CustomFetch,
        execute: [client.enableNonRepudiationChecks, ...(secure ? [] : [client.allowInsecureRequests])],
      },
    )
    return configuration
  }

  /** What a provider says about itself was not sent by a browser: nobody else is to blame. */
  #unread(error: unknown): never {
    const { message, code, cause } = error as client.ClientError
    const why = cause instanceof Error ? cause.message : undefined
    this.#warn({ reason: message, code, why }, 'the provider of the sign-in cannot be read')
    throw new GatewayError('oidc_unavailable', say('the provider does not answer, or not as it should'))
  }

  /** For the person, a code; for the log, what the provider said. Neither has a token. */
  #failure(error: unknown): GatewayError {
    if (error instanceof GatewayError) {
      if (error.code !== 'overloaded' && error.code !== 'oidc_unavailable')
        this.#warn({ code: error.code, reason: error.message }, 'a sign-in failed')
      return error
    }
    const { message, code, error: told, error_description: more, cause } = error as client.ResponseBodyError
    const why = cause instanceof Error ? cause.message : undefined
    if (error instanceof client.AuthorizationResponseError) {
      // It came by the browser, whose person may have written it.
      this.#warn({ reason: message, code, told: OAUTH_ERRORS.has(told) ? told : 'another error' }, 'a sign-in failed')
      return new GatewayError('oidc_refused', say('the provider refused the sign-in'))
    }
    this.#warn({ reason: message, code, told, more, why }, 'a sign-in failed')
    const isInvalid =
      error instanceof client.ResponseBodyError
        ? told === 'invalid_grant'
        : error instanceof client.ClientError && !UNAVAILABLE.has(code)
    return isInvalid
      ? new GatewayError('oidc_invalid', say('the answer of the provider is not valid'))
      : new GatewayError('oidc_unavailable', say('the provider does not answer, or not as it should'))
  }
}

/** As the provider takes it; in a header, if it does not say. */
function authenticationWith(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}
