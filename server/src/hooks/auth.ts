// Every route but the public ones needs the token or a session.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app-types.js'
import { isLocalHost, isSameOrigin, sessionIn, tokenIn } from '../auth/credentials.js'
import { GatewayError } from '../errors.js'

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

export function requireCredentials(app: App): void {
  app.decorateRequest('who', 'nobody')
  app.addHook('onRequest', app.config.auth ? checkCredentials : checkLocal)
}

function checkCredentials(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const { access } = request.server
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const token = tokenIn(authorization, /^\/v[12]\//.test(request.url))
    if (token !== null && access.isToken(token)) {
      request.who = 'token'
      return done()
    }
    if (request.routeOptions.config.public === true) return done()
    return done(
      new GatewayError('auth_invalid', 'the token is wrong; use the one in admin.token of the data directory'),
    )
  }
  if (request.routeOptions.config.public === true) return done()
  const session = sessionIn(request.headers)
  if (session === null || access.sessionEnd(session) === null) {
    return done(
      new GatewayError(
        'auth_required',
        'send Authorization: Bearer <token>; the token is in admin.token of the data directory',
      ),
    )
  }
  request.who = 'console'
  done(originError(request))
}

/** Without authentication, only the rules of browsers protect the server: same origin, local host name. */
function checkLocal(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  if (!isLocalHost(request.headers.host)) {
    return done(
      new GatewayError(
        'host_refused',
        `Host must be localhost or 127.0.0.1 without authentication, got ${request.headers.host ?? 'none'}`,
        {
          field: 'host',
        },
      ),
    )
  }
  request.who = 'local'
  done(originError(request))
}

function originError(request: FastifyRequest): GatewayError | undefined {
  if (READS.has(request.method) || isSameOrigin(request.headers)) return undefined
  return new GatewayError('origin_refused', 'a change must come from the console, or carry the token', {
    field: 'origin',
  })
}
