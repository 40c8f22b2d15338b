// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a POST that is sent again takes effect once.
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { type Answer, Answers, type Asked } from './kept-answers.js'
import { addRouteHook } from './route-hooks.js'
import { say, type Sentence } from '../sentences/sentence.js'

const HEADER = 'idempotency-key'
/** A structured string as in the draft, or the same without quotes. */
const KEY = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/
/** Headers that belong to the answer and not to the call. */
const KEPT_HEADERS = ['content-type', 'location', 'etag'] as const

/**
 * For routes registered after this call: with `idempotent: true` they repeat their answer, with
 * `false` they refuse a key.
 */
export function answerOnce(app: App): void {
  const answers = new Answers()
  /** Key for the answer of a running request. */
  const open = new WeakMap<FastifyRequest, string>()

  /** A namespace that was dropped takes with it what was answered about it: another one may have its name. */
  const ofNow = (key: string): Asked | undefined => {
    const asked = answers.find(key)
    const { of, answer } = asked ?? {}
    if (of === undefined || answer === undefined || app.engine.tenureOf(of.name).id === of.id) return asked
    answers.forget(key)
    return undefined
  }

  const begin = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const header = request.headers[HEADER]
    if (header === undefined) return done()
    const key = keyOf(request, String(header))
    const print = fingerprint(request)
    const asked = ofNow(key)
    if (asked === undefined) {
      answers.begin(key, print, namespaceOf(request))
      open.set(request, key)
      return done()
    }
    if (asked.print !== print)
      throw refusal('idempotency_key_reused', say('this key was used for a different request; use a new key'))
    if (asked.answer === undefined) {
      throw refusal(
        'idempotency_key_in_use',
        say('the first request with this key is still running; try again later'),
        {
          'retry-after': '1',
        },
      )
    }
    repeat(reply, asked.answer)
  }

  const keep = (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ): void => {
    const key = open.get(request)
    if (key !== undefined) {
      // After a failure of the server, a repetition tries again.
      if (reply.statusCode >= 500) answers.forget(key)
      else answers.keep(key, answerOf(reply, payload))
    }
    done(null, payload)
  }

  app.addHook('onRoute', (route) => {
    if (route.config?.idempotent === true) {
      addRouteHook(route, 'preHandler', begin)
      addRouteHook(route, 'onSend', keep)
    }
    if (route.config?.idempotent === false) addRouteHook(route, 'onRequest', refuse)
  })
}

function refuse(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  if (request.headers[HEADER] === undefined) return done()
  done(
    refusal(
      'idempotency_key_unsupported',
      say('an upload cannot be compared with an earlier one; leave this header out, and give the rows keys'),
    ),
  )
}

/** Each caller has its own keys; only a hash names the caller. */
function keyOf(request: FastifyRequest, header: string): string {
  const match = KEY.exec(header)
  const key = match?.[1] ?? match?.[2]
  if (key === undefined) {
    throw refusal(
      'idempotency_key_invalid',
      say('a key must be 1 to 255 printable ASCII characters, quoted or without spaces'),
    )
  }
  return createHash('sha256')
    .update(`${callerOf(request)}\n${key}`)
    .digest('base64')
}

/** Names are given again: of tokens, of users, and at a provider. */
function callerOf({ who, apiToken, session, server }: FastifyRequest): string {
  const { user, person } = session ?? {}
  const own =
    apiToken?.id ?? person?.subject ?? (user === undefined ? session?.id : server.users.get(user.name).createdAt)
  return `${who}\n${own ?? ''}`
}

/** The namespace that a request names in its path or its body, if it is there. */
function namespaceOf({ params, body, server }: FastifyRequest): Asked['of'] {
  const name: unknown = Object(params).ns ?? Object(body).namespace
  const id = typeof name === 'string' && server.hasDecorator('engine') ? server.engine.tenureOf(name).id : ''
  return typeof name === 'string' && id !== '' ? { name, id } : undefined
}

/** Method, URL and body: a request with another one is a different request. */
function fingerprint(request: FastifyRequest): string {
  const { method, url, body } = request
  const hash = createHash('sha256').update(`${method} ${url}\n`)
  return hash.update(Buffer.isBuffer(body) ? body : JSON.stringify(body ?? null)).digest('base64')
}

function answerOf(reply: FastifyReply, payload: unknown): Answer {
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = reply.getHeader(name)
    return value === undefined ? [] : [[name, String(value)] as const]
  })
  const body = Buffer.isBuffer(payload) ? payload : Buffer.from(typeof payload === 'string' ? payload : '')
  return { status: reply.statusCode, headers: Object.fromEntries(headers), body }
}

function repeat(reply: FastifyReply, { status, headers, body }: Answer): void {
  void reply.code(status).headers(headers).header('idempotency-replayed', 'true').send(body)
}

function refusal(
  code: `idempotency_key_${'invalid' | 'reused' | 'in_use' | 'unsupported'}`,
  message: Sentence,
  headers: Record<string, string> = {},
): GatewayError {
  return new GatewayError(code, message, { field: HEADER, headers })
}
