// What an entry says about a request. Values of clients are cut, and what looks like a secret is not kept.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from '../network/address.js'
import type { Facts } from './line.js'
import { isSecretField, NOT_RECORDED, withoutSecrets } from './secrets.js'

/** Bytes of the settings before and after, each. */
const SETTINGS_BYTES = 8 * 1024
const NAME_MAX = 128
/** Names, paths, times and words of ours. Other strings of settings may be anything. */
const WORD = /^[A-Za-z0-9_.:/-]{1,255}$/

export interface Target {
  namespace?: string
  set?: string
  object?: string
}

/** A name as far as an entry may have it. */
export function shownName(text: string): string {
  const shown = withoutSecrets(text)
  return shown.length > NAME_MAX ? `${shown.slice(0, NAME_MAX)}…` : shown
}

/** Operations that make what the `name` in their body names. */
const MADE: Readonly<Record<string, keyof Target>> = { createNamespace: 'namespace', createSet: 'set' }

/**
 * What the request is about: by its path or, if that names nothing, by the names in its body. For an entry, it has to go
 * through `shownTarget`.
 */
export function targetOf(operation: string, request: FastifyRequest, reply?: FastifyReply): Target {
  const { ns, set, ...rest } = (request.params ?? {}) as Record<string, string | undefined>
  const body = namesOf(request.body)
  const made = reply?.statusCode === 201 ? lastOf(reply.getHeader('location')) : undefined
  const target: Target = {}
  const put = (as: keyof Target, name: string | undefined): void => {
    if (name !== undefined) target[as] ??= name
  }
  put(MADE[operation] ?? 'object', Object.values(rest)[0] ?? made ?? body['name'])
  put('namespace', ns ?? body['namespace'])
  put('set', set ?? body['set'])
  return target
}

/** The names as an entry may have them. */
export const shownTarget = (target: Target): Target =>
  Object.fromEntries(Object.entries(target).map(([as, name]) => [as, shownName(String(name))]))

/** Who asked, from where, for what. */
export function askedOf(request: FastifyRequest, operation: string): Facts {
  const { dryRun } = (request.query ?? {}) as { dryRun?: unknown }
  return {
    operation,
    who: request.who,
    ...(request.grants !== undefined && { role: request.grants.server ?? 'limited' }),
    address: addressOf(request),
    request: request.id,
    ...(dryRun === true && { dryRun }),
  }
}

/** Settings as an entry has them: bounded, and without text that may be anything. */
export function shownSettings(settings: unknown): unknown {
  const shown = withoutTexts(settings)
  const bytes = Buffer.byteLength(JSON.stringify(shown) ?? '')
  return bytes > SETTINGS_BYTES ? { notRecorded: `${bytes} bytes` } : shown
}

/** Only the members that differ. */
export function difference(before: unknown, after: unknown): { before?: unknown; after?: unknown } {
  if (!isObject(before) || !isObject(after)) {
    return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
  }
  const differing = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  )
  const only = (all: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(differing.filter((key) => key in all).map((key) => [key, all[key]]))
  return { before: only(before), after: only(after) }
}

function withoutTexts(value: unknown): unknown {
  if (typeof value === 'string') return WORD.test(value) ? shownName(value) : '(text, not recorded)'
  if (Array.isArray(value)) return value.map(withoutTexts)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, of]) => [shownName(key), isSecretField(key) ? NOT_RECORDED : withoutTexts(of)]),
  )
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const lastOf = (location: unknown): string | undefined =>
  typeof location === 'string' ? location.split('/').at(-1) : undefined

/** Names in a body. One that is a stream or bytes has none. */
function namesOf(body: unknown): Record<string, string | undefined> {
  if (!isObject(body) || Buffer.isBuffer(body) || 'pipe' in body) return {}
  const names = ['name', 'namespace', 'set'].map((key) => [key, body[key]] as const)
  return Object.fromEntries(
    names.filter((pair): pair is [string, string] => typeof pair[1] === 'string' && WORD.test(pair[1])),
  )
}
