// Every route but the public ones needs credentials, and the role that its operation needs, where it needs it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App, Caller } from '../app-types.js'
import { ownerOf, tokenFor } from '../auth/callers.js'
import { sessionIn } from '../auth/cookies.js'
import { carriedToken, isLocalHost, isSameOrigin } from '../auth/credentials.js'
import { ADMIN, everywhere, grantsOf, NOTHING } from '../auth/grants.js'
import { needsOf } from '../auth/permissions.js'
import { Reach } from '../auth/reach.js'
import { isOpenWithoutFactor, lacksFactor } from '../auth/second-factor-demand.js'
import { checkEarly, type Scope, SCOPES } from '../auth/scopes.js'
import { grantsOfSession } from '../auth/session-grants.js'
import type { Session } from '../auth/sessions.js'
import { GatewayError } from '../errors.js'
import { noteUnknown } from '../network/answering.js'
import { addRouteHook } from './route-hooks.js'
import { isRead } from '../requests/method.js'
import { say } from '../sentences/sentence.js'

/** Header of requests that a page sends by itself. They do not keep an idle session alive. */
const AUTOMATIC = 'x-automatic'
/** Of who is not known. */
const NOWHERE = new Reach(NOTHING, 'reader')

export function requireCredentials(app: App): void {
  app.decorateRequest('who', 'nobody')
  app.decorateRequest('grants', undefined)
  app.decorateRequest('reach', undefined)
  app.decorateRequest('apiToken', undefined)
  app.decorateRequest('session', undefined)
  app.addHook('onRoute', (route) => {
    const needs = needsOf(route)
    if (needs === undefined) return
    route.config = { ...route.config, needs }
    const { late }: Scope = SCOPES[needs.scope]
    if (late !== undefined)
      addRouteHook(route, 'preHandler', async (request: FastifyRequest) => {
        if (request.reach !== undefined) await late(request.reach, request)
      })
  })
  const check = app.config.auth ? checkCredentials : checkLocal
  app.addHook('onRequest', (request, reply, done) => {
    try {
      done(check(request, reply))
    } catch (error) {
      done(error as Error)
    }
  })
}

/** @throws GatewayError `too_many_logins` */
function checkCredentials(request: FastifyRequest, reply: FastifyReply): Error | undefined {
  const { authorization } = request.headers
  const { public: open, named } = request.routeOptions.config
  // What no route has is said to whoever asks: the document of the API is no secret.
  if (open === true || request.is404) {
    request.reach = NOWHERE
    noteUnknown(request.raw)
    if (named === true) tell(request)
    return undefined
  }
  const failure = authorization === undefined ? bySession(request) : byToken(request)
  const refusal =
    failure ??
    (request.session && originError(request)) ??
    overLimit(request, reply) ??
    demandError(request) ??
    admit(request)
  if (refusal === undefined && request.session !== undefined && !isAutomatic(request))
    request.server.sessions.use(request.session)
  return refusal
}

/** Notes who asks without credentials being needed. Wrong ones are as none, and count as guesses all the same. */
function tell(request: FastifyRequest): void {
  const { authorization } = request.headers
  try {
    const failure = authorization === undefined ? bySession(request) : byToken(request)
    if (failure !== undefined || demandError(request) !== undefined) return
    request.reach = undefined
    admit(request)
  } catch {
    // There were too many guesses: it is not looked at.
  }
}

/** @throws GatewayError `too_many_logins` */
function byToken(request: FastifyRequest): GatewayError | undefined {
  const token = carriedToken(request)
  const found = token === null ? undefined : tokenFor(request, token)
  if (found === undefined)
    return new GatewayError('auth_invalid', say('the token is wrong; use the one in admin.token of the data directory'))
  request.who = ownerOf(found)
  if (found === 'token') {
    request.grants = ADMIN
    return undefined
  }
  request.grants = grantsOf(found.grants)
  request.apiToken = found
  return undefined
}

function bySession(request: FastifyRequest): GatewayError | undefined {
  const { sessions } = request.server
  const secret = sessionIn(request)
  const session = secret === null ? undefined : sessions.find(secret)
  const grants = session && grantsOfSession(request.server, session)
  if (session === undefined || grants === undefined) {
    const message = say('send {header}, or sign in; the token is in admin.token of the data directory', {
      header: 'Authorization: Bearer <token>',
    })
    return new GatewayError('auth_required', message)
  }
  request.who = whoOf(session)
  request.grants = grants
  request.session = session
  return undefined
}

/** The administrator token and its sessions have no limits. */
function overLimit({ server, apiToken, session, who }: FastifyRequest, reply: FastifyReply): GatewayError | undefined {
  if (apiToken !== undefined) return server.callersLimits.admit(who, apiToken.limits, reply)
  const { user, person } = session ?? {}
  if (user !== undefined) return server.callersLimits.admit(who, server.users.limitsOf(user.name), reply)
  return person === undefined ? undefined : server.callersLimits.admit(who, undefined, reply)
}

/** A password alone is not enough for some. */
function demandError({ server, session, grants = NOTHING, routeOptions }: FastifyRequest): GatewayError | undefined {
  if (session === undefined || isOpenWithoutFactor(routeOptions) || !lacksFactor(server, session, grants))
    return undefined
  return new GatewayError(
    'second_factor_required',
    say('this server demands a second factor of you (TESSERA_SECOND_FACTOR): set it up first'),
  )
}

export function whoOf({ user, person }: Pick<Session, 'user' | 'person'>): Caller {
  if (user !== undefined) return `user:${user.name}`
  return person === undefined ? 'console' : `oidc:${person.name}`
}

/** Without authentication, only the rules of browsers protect the server: same origin, local host name. */
function checkLocal(request: FastifyRequest): Error | undefined {
  if (!isLocalHost(request.headers.host))
    return new GatewayError(
      'host_refused',
      say('Host must be localhost or 127.0.0.1 without authentication, got {given}', {
        given: request.headers.host ?? 'none',
      }),
      { field: 'host' },
    )
  request.who = 'local'
  request.grants = ADMIN
  return originError(request)
}

/** Who has the role for the whole server goes on at once. Others get a reach, and are refused where it does not go. */
function admit(request: FastifyRequest): Error | undefined {
  const { needs } = request.routeOptions.config
  const { grants = NOTHING } = request
  if (everywhere(grants, needs?.role ?? 'reader')) return undefined
  const reach = new Reach(grants, needs?.role ?? 'reader')
  request.reach = reach
  if (needs === undefined) return undefined
  try {
    checkEarly(SCOPES[needs.scope], reach, request)
    return undefined
  } catch (error) {
    return error as Error
  }
}

const isAutomatic = ({ routeOptions, headers }: FastifyRequest): boolean =>
  routeOptions.config.automatic === true || headers[AUTOMATIC] === 'true'

function originError(request: FastifyRequest): GatewayError | undefined {
  if (isRead(request.method) || isSameOrigin(request)) return undefined
  return new GatewayError('origin_refused', say('a change must come from the console, or carry the token'), {
    field: 'origin',
  })
}
