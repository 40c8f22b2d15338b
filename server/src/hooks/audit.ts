// Writes the audit log: before a change what will be done, and after it how it went. An answer is sent when both are written.
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { App } from '../app-types.js'
import { askedOf, difference, shownSettings, shownTarget, targetOf } from '../audit/facts.js'
import type { Facts } from '../audit/line.js'
import { settingsOf } from '../audit/settings.js'
import { checkThere, rethrowMissing } from '../audit/there.js'
import { freesRoom } from '../audit/frees-room.js'
import { type Recorded, recordedAs } from '../auth/recorded.js'
import { addRouteHook } from './route-hooks.js'

/** Codes of credentials that somebody tried in vain. */
const FAILED_SIGN_INS: ReadonlySet<string | undefined> = new Set([
  'auth_invalid',
  'code_invalid',
  'login_code_invalid',
  'too_many_logins',
  'oidc_refused',
  'oidc_invalid',
  'oidc_expired',
  'oidc_name_missing',
  'oidc_no_grants',
])

/** Who has signed in without a name, if that worked. */
const SIGNED_IN: Readonly<Record<string, Facts>> = {
  createLogin: { who: 'token', role: 'admin' },
  redeemLogin: { who: 'console', role: 'admin' },
}

interface Begun {
  seq: number
  asked: Facts
  before: unknown
}

/** For all routes registered after this call. Their roles are known by then. */
export function writeAudit(app: App): void {
  /** Changes that an entry has announced. */
  const begun = new WeakMap<FastifyRequest, Begun>()
  app.decorateRequest('failure', undefined)
  app.decorateRequest('jobId', undefined)

  /** An instance that only describes the API writes nothing. */
  const isOff = (): boolean => !app.hasDecorator('engine')

  const begin = async (operation: string, request: FastifyRequest): Promise<void> => {
    await checkThere(app, operation, request)
    const target = targetOf(operation, request)
    const before = await settingsOf(app, operation, target, (error) => rethrowMissing(operation, error))
    const asked = { ...askedOf(request, operation), ...shownTarget(target) }
    const facts = { ...asked, ...(before !== undefined && { before: shownSettings(before) }) }
    const seq = await app.audit.intent(facts, freesRoom(operation, request.body))
    begun.set(request, { seq, asked, before })
  }

  const end = async (operation: string, as: Recorded, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const change = begun.get(request)
    const outcome = outcomeOf(request, reply)
    if (change === undefined) {
      // A link may be opened without its code, or looked at by a program: that signs nobody in.
      if (operation === 'redeemLogin' && outcome.status !== 303 && !isFailedSignIn(request)) return
      const facts = { ...askedOf(request, operation), ...shownTarget(targetOf(operation, request)), ...outcome }
      if (as !== 'sign-in' || outcome.outcome !== 'ok') return app.auditFloods.add(keyOf(facts, request, as), facts)
      await app.audit.note('single', { ...facts, ...(request.who === 'nobody' && SIGNED_IN[operation]) })
      return
    }
    begun.delete(request)
    const target = targetOf(operation, request, reply)
    const after = outcome.outcome === 'ok' ? await settingsOf(app, operation, target) : change.before
    const { before, after: now } = difference(change.before, after)
    await app.audit.note('outcome', {
      intent: change.seq,
      ...change.asked,
      ...shownTarget(target),
      ...outcome,
      ...(request.jobId !== undefined && { job: request.jobId }),
      ...(before !== undefined && { before: shownSettings(before) }),
      ...(now !== undefined && { after: shownSettings(now) }),
    })
  }

  app.addHook('onRoute', (route) => {
    const operation = operationOf(route)
    const as = recordedAs(route, operation, route.config?.needs?.role)
    if (as === undefined || operation === undefined) {
      addRouteHook(
        route,
        'onSend',
        (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void) => {
          if (isFailedSignIn(request)) void failedSignIn(request, reply, operation)
          done()
        },
      )
      return
    }
    if (as === 'change')
      addRouteHook(route, 'preHandler', async (request: FastifyRequest) => {
        if (!isOff()) await begin(operation, request)
      })
    addRouteHook(route, 'onSend', async (request: FastifyRequest, reply: FastifyReply) => {
      if (!isOff()) await end(operation, as, request, reply)
    })
  })

  const failedSignIn = async (request: FastifyRequest, reply: FastifyReply, operation = 'none'): Promise<void> => {
    if (isOff()) return
    const facts = { ...askedOf(request, operation), ...outcomeOf(request, reply) }
    await app.auditFloods.add(keyOf(facts, request, 'sign-in'), facts)
  }
}

const isFailedSignIn = ({ failure }: FastifyRequest): boolean => FAILED_SIGN_INS.has(failure)

/** The page that a login link leads to is in no document. */
const operationOf = ({ schema, config }: RouteOptions): string | undefined =>
  (schema as { operationId?: string } | undefined)?.operationId ?? config?.operation

function outcomeOf(request: FastifyRequest, reply: FastifyReply): Facts & { status: number; outcome: string } {
  const status = reply.statusCode
  const code = request.failure
  const outcome =
    code === undefined && status < 400
      ? 'ok'
      : status === 401 || status === 403 || isFailedSignIn(request)
        ? 'refused'
        : 'failed'
  return {
    status,
    outcome,
    ...(code !== undefined && { code }),
    ...(reply.getHeader('idempotency-replayed') === 'true' && { repeated: true }),
  }
}

/** Failed sign-ins of an address count together, whatever they tried; others by what was asked for. */
function keyOf(facts: Facts, request: FastifyRequest, as: Recorded): string {
  if (as === 'sign-in' || isFailedSignIn(request)) return `sign-in ${String(facts['address'])}`
  return [facts['who'], facts['address'], facts['operation'], request.failure ?? ''].join(' ')
}
