// POST /login/oidc/logout: the provider says that somebody was signed out, or removed. Their sessions here end.
import type { App } from '../app-types.js'
import type { BodyRule } from '../bodies/rule.js'
import { GatewayError } from '../errors.js'

const BODY_BYTES_MAX = 64 * 1024
const FORM = 'application/x-www-form-urlencoded'

const form: BodyRule = {
  types: [FORM],
  limit: BODY_BYTES_MAX,
  counted: false,
  required: false,
  parse: (body) => new URLSearchParams(body.toString()),
}

export function oidcLogoutRoute(scope: App): void {
  const { oidc } = scope
  if (oidc === undefined) return
  scope.post(
    '/login/oidc/logout',
    { config: { public: true, operation: 'endProviderSessions', body: form }, schema: { hide: true } },
    async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      const tokens = request.body instanceof URLSearchParams ? request.body.getAll('logout_token') : []
      const [token] = tokens
      if (token === undefined || tokens.length > 1)
        throw new GatewayError('logout_token_invalid', 'the body needs one logout_token', { field: 'logout_token' })
      const ended = scope.sessions.endOfPerson(await oidc.signedOut(token))
      const [first] = ended
      // For the audit log.
      if (first?.person !== undefined) request.who = `oidc:${first.person.name}`
      request.log.info({ sessions: ended.length }, 'the provider has signed somebody out')
      return reply.code(204).send()
    },
  )
}
