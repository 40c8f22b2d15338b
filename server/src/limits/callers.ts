// How much each API token and each user may ask for: a bucket a caller, in memory.
import type { FastifyReply } from 'fastify'
import { GatewayError } from '../errors.js'
import type { CallerLimits } from '../schemas/server/caller-limits.js'
import { Bucket, type Refusal } from './bucket.js'
import { type Defaults, type EffectiveLimits, effectiveLimits } from './effective.js'
import { say } from '../sentences/sentence.js'

/** Beyond so many buckets, those that say nothing any more are dropped. There are at most 1,000 tokens and 1,000 users. */
const BUCKETS_MAX = 4096

export class CallersLimits {
  readonly #defaults: Defaults
  readonly #usual: EffectiveLimits | undefined
  /** By caller, such as `token:nightly-load`. */
  readonly #buckets = new Map<string, Bucket>()
  /** Limits as they hold, by those that a token or a user was given. */
  readonly #effective = new WeakMap<CallerLimits, { limits: EffectiveLimits | undefined }>()
  #refused = 0

  constructor(defaults: Defaults) {
    this.#defaults = defaults
    this.#usual = effectiveLimits(defaults)
  }

  /** Requests refused so far. */
  get refused(): number {
    return this.#refused
  }

  /**
   * Takes a request in until it is answered, and tells the caller what is left. Undefined: it may go on.
   * `own`: the limits that the caller was given.
   */
  admit(who: string, own: CallerLimits | undefined, reply: FastifyReply): GatewayError | undefined {
    const limits = own === undefined ? this.#usual : this.#effectiveOf(own)
    if (limits === undefined) return undefined
    const nowMs = performance.now()
    const bucket = this.#bucketOf(who, limits, nowMs)
    const refusal = bucket.enter(nowMs)
    if (limits.policy !== '') {
      reply.header('ratelimit-policy', limits.policy)
      reply.header('ratelimit', `"requests";r=${bucket.remaining};t=${bucket.fullInS}`)
    }
    if (refusal !== undefined) {
      this.#refused += 1
      return refusalOf(who, limits, refusal)
    }
    reply.raw.once('close', () => bucket.leave())
    return undefined
  }

  #effectiveOf(own: CallerLimits): EffectiveLimits | undefined {
    const known = this.#effective.get(own) ?? { limits: effectiveLimits(this.#defaults, own) }
    this.#effective.set(own, known)
    return known.limits
  }

  #bucketOf(who: string, limits: EffectiveLimits, nowMs: number): Bucket {
    const known = this.#buckets.get(who)
    if (known !== undefined) {
      if (known.limits !== limits) known.change(limits, nowMs)
      return known
    }
    if (this.#buckets.size >= BUCKETS_MAX)
      for (const [other, bucket] of this.#buckets) if (bucket.isFresh(nowMs)) this.#buckets.delete(other)
    const bucket = new Bucket(limits, nowMs)
    this.#buckets.set(who, bucket)
    return bucket
  }
}

function refusalOf(who: string, { requestsPerSecond, burst, requestsAtOnce }: EffectiveLimits, refusal: Refusal) {
  const [sentence, waitS] =
    refusal.why === 'rate'
      ? [
          say('{who} may send {rate, number} requests a second, in bursts of {burst, number}; wait {wait, number} s', {
            who,
            rate: requestsPerSecond,
            burst,
            wait: refusal.waitS,
          }),
          refusal.waitS,
        ]
      : [say('{who} may send {most, number} requests at the same time; wait 1 s', { who, most: requestsAtOnce }), 1]
  return new GatewayError('too_many_requests', sentence, { headers: { 'retry-after': String(waitS) } })
}
