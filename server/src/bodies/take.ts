// Takes the body of each request as its route declares it.
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Readable } from 'node:stream'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { addRouteHook } from '../hooks/route-hooks.js'
import { MERGE_PATCH, wholeMembers } from '../requests/merge-patch.js'
import { inviteBody } from './invite.js'
import { readBody } from './read.js'
import { type BodyRule, json } from './rule.js'
import { say } from '../sentences/sentence.js'

/** The parser is the same for all types; Fastify finds the ones it knows by name without parsing the header. */
const TYPES = ['application/json', 'application/msgpack', '*']

/** Members that are maps and never null. */
const MAPS_OF_LIMITS = ['limits']

/** For routes that declare nothing. */
const control = json()

/** For all routes registered after this call. */
export function takeBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(TYPES, takeBody)
  app.addHook('onRoute', (route) => {
    takePatches(route)
    const { body = control } = route.config ?? {}
    if (route.schema?.body !== undefined && body !== 'stream' && body.required)
      addRouteHook(route, 'preValidation', needBody)
  })
}

/** JSON patches of our own API may say that they are merge-patches. */
function takePatches(route: RouteOptions): void {
  const { body = control } = route.config ?? {}
  const isPatch = route.method === 'PATCH' && route.url.startsWith('/api/v1/')
  if (!isPatch || body === 'stream' || body.types === '*') return
  route.config = { ...route.config, body: { ...body, types: [...body.types, MERGE_PATCH] } }
  const { merge } = route.config
  if (merge !== undefined)
    addRouteHook(route, 'preValidation', async (request: FastifyRequest) => {
      if (request.mediaType === MERGE_PATCH)
        request.body = wholeMembers(await merge(request), request.body, MAPS_OF_LIMITS)
    })
}

function takeBody(
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: unknown) => void,
): Promise<unknown> | void {
  // No route has declared anything.
  if (request.is404) return done(null)
  const { body: rule = control } = request.routeOptions.config
  if (rule === 'stream') {
    inviteBody(request.raw)
    return done(null, payload)
  }
  checkType(rule, request)
  const { bodyLimitBytes, bodyTimeoutMs: timeoutMs } = request.server.config
  const { limit = bodyLimitBytes, counted, compressed = false } = rule
  return readBody(request, payload, { limit, timeoutMs, counted, compressed }).then((body) => rule.parse(body, request))
}

function checkType({ types }: BodyRule, { mediaType: type, method }: FastifyRequest): void {
  if (types === '*' || (type !== undefined && types.includes(type))) return
  throw new GatewayError(
    'media_type_unsupported',
    say('Content-Type must be {names}, got {given}', { names: types.join(' or '), given: type ?? 'none' }),
    { field: 'content-type', ...(method === 'PATCH' && { headers: { 'accept-patch': types.join(', ') } }) },
  )
}

function needBody(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const missing = request.body === undefined || request.body === null
  done(missing ? new GatewayError('body_missing', say('this route needs a body')) : undefined)
}
