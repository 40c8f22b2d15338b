// GET /login/oidc sends a browser to the provider of sign-in, and the provider sends it to /login/oidc/callback.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app-types.js'
import { flowCookie, flowIn, noSession, placeOf } from '../auth/cookies.js'
import { isSameOrigin } from '../auth/credentials.js'
import { Flows, pathHere } from '../auth/oidc/flow.js'
import type { Person, Provider } from '../auth/oidc/provider.js'
import { startSession } from '../auth/sign-in.js'
import type { ErrorCode } from '../error-table.js'
import { GatewayError, toFailure } from '../errors.js'
import { whoOf } from '../hooks/auth.js'
import { addressOf } from '../network/address.js'
import { originOf } from '../network/host-name.js'
import { say } from '../sentences/sentence.js'

const BACK = '/login/oidc/callback'

export function oidcRoutes(scope: App): void {
  const { oidc } = scope
  if (oidc === undefined) return
  const flows = new Flows()

  scope.get(
    '/login/oidc',
    {
      exposeHeadRoute: false,
      config: { public: true },
      schema: {
        hide: true,
        querystring: Type.Object({
          next: Type.Optional(Type.String({ maxLength: 4096 })),
          again: Type.Optional(Type.Literal('true')),
        }),
      },
    },
    async (request, reply) => {
      const next = pathHere(request.query.next)
      // A page of another site must not sign a browser in: a person does, on the sign-in page.
      if (!isSameOrigin(request)) return reply.redirect(pageOf({ next }), 303)
      void reply.header('cache-control', 'no-store')
      try {
        // What needs a fresh sign-in needs one at the provider, too.
        const maxAge = request.query.again === undefined ? undefined : Math.floor(scope.config.sessionFreshMs / 1000)
        const { url, flow } = await oidc.begin(backTo(request), next, maxAge)
        return reply.header('set-cookie', flowCookie(flows.keep(flow), placeOf(request))).redirect(url.href, 303)
      } catch (error) {
        return failed(error, next, request, reply)
      }
    },
  )

  scope.get(
    BACK,
    {
      exposeHeadRoute: false,
      config: { public: true, operation: 'endProviderSignIn' },
      schema: { hide: true },
    },
    async (request, reply) => {
      const at = request.url.indexOf('?')
      const search = at < 0 ? '' : request.url.slice(at)
      const flow = flows.find(flowIn(request), new URLSearchParams(search).get('state') ?? '')
      // Whatever comes of it, nobody begins with this cookie again.
      void reply.header('set-cookie', flowCookie(noSession, placeOf(request))).header('cache-control', 'no-store')
      try {
        if (flow === undefined)
          throw new GatewayError('oidc_expired', say('the sign-in took too long, or began in another browser'))
        const { signedInAtMs, ...person } = await finish(request, () => oidc.finish(search, flow))
        startSession(request, reply, { person, lifeMs: oidc.settings.lifeMs, signedInAtMs })
        // For the audit log.
        request.who = whoOf({ user: undefined, person })
        request.grants = person.grants
        return reply.type('text/html; charset=utf-8').send(leadTo(request.server.config.basePath + flow.next))
      } catch (error) {
        return failed(error, flow?.next ?? '/', request, reply)
      }
    },
  )
}

/** Where the provider sends the browser. A default port is left out, as it is when this is sent again with the code. */
const backTo = (request: FastifyRequest): string =>
  new URL(request.server.config.basePath + BACK, originOf(request)).href

/** A wrong answer counts as a wrong credential of the address. */
async function finish(request: FastifyRequest, ask: () => ReturnType<Provider['finish']>): Promise<Person> {
  let wrong: unknown
  const person = await request.server.guesses.code(addressOf(request), async () => {
    try {
      return await ask()
    } catch (error) {
      if (toFailure(error).code !== 'oidc_invalid') throw error
      wrong = error
      return undefined
    }
  })
  if (person === undefined) throw wrong
  return person
}

/** The sign-in page says in words what is wrong. */
function failed(error: unknown, next: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code } = toFailure(error)
  if (code === 'internal') request.log.error({ err: error }, 'a sign-in failed')
  request.failure = code
  return reply.redirect(pageOf({ next, failed: code }), 303)
}

function pageOf({ next, failed: code }: { next: string; failed?: ErrorCode }): string {
  const query = new URLSearchParams({ ...(code !== undefined && { failed: code }), ...(next !== '/' && { next }) })
  return query.size === 0 ? '/login' : `/login?${query.toString()}`
}

/**
 * A page that opens another one. A redirect would not do: it comes from the provider, so browsers would not send the
 * cookie of the session with it.
 */
const leadTo = (path: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tessera</title>
<meta http-equiv="refresh" content="0;url=${escaped(path)}"><a href="${escaped(path)}">Go on</a></html>`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;').replaceAll('<', '&lt;')
