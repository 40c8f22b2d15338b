// A token bucket with the number of requests at work: the limits of one caller. It has no clock: the caller passes the time.
import type { EffectiveLimits } from './effective.js'

const SECOND_MS = 1000

/** Why a request is refused. `at-once`: too many are at work. `rate`: wait `waitS` seconds. */
export type Refusal = { why: 'at-once' } | { why: 'rate'; waitS: number }

export class Bucket {
  #limits: EffectiveLimits
  #tokens: number
  #atMs: number
  #open = 0

  constructor(limits: EffectiveLimits, nowMs: number) {
    this.#limits = limits
    this.#tokens = limits.burst
    this.#atMs = nowMs
  }

  get limits(): EffectiveLimits {
    return this.#limits
  }

  /** New limits hold at once. What was spent stays spent. */
  change(limits: EffectiveLimits, nowMs: number): void {
    this.#fill(nowMs)
    this.#tokens = limits.burst - Math.min(limits.burst, Math.max(0, this.#limits.burst - this.#tokens))
    this.#limits = limits
  }

  /** Takes a request in, or says why not. One that was taken in calls `leave` at its end. */
  enter(nowMs: number): Refusal | undefined {
    const { requestsPerSecond, requestsAtOnce } = this.#limits
    if (requestsAtOnce > 0 && this.#open >= requestsAtOnce) return { why: 'at-once' }
    if (requestsPerSecond > 0) {
      this.#fill(nowMs)
      if (this.#tokens < 1)
        return { why: 'rate', waitS: Math.max(1, Math.ceil((1 - this.#tokens) / requestsPerSecond)) }
      this.#tokens -= 1
    }
    this.#open += 1
    return undefined
  }

  leave(): void {
    this.#open -= 1
  }

  /** Requests that may come at once now. */
  get remaining(): number {
    return Math.floor(this.#tokens)
  }

  /** Seconds until the burst is whole again. */
  get fullInS(): number {
    const { requestsPerSecond, burst } = this.#limits
    return requestsPerSecond === 0 ? 0 : Math.ceil((burst - this.#tokens) / requestsPerSecond)
  }

  /** Whether a new one would be the same. */
  isFresh(nowMs: number): boolean {
    this.#fill(nowMs)
    return this.#open === 0 && this.#tokens === this.#limits.burst
  }

  #fill(nowMs: number): void {
    const { requestsPerSecond, burst } = this.#limits
    const gained = (Math.max(0, nowMs - this.#atMs) * requestsPerSecond) / SECOND_MS
    this.#tokens = Math.min(burst, this.#tokens + gained)
    this.#atMs = nowMs
  }
}
