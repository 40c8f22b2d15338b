// The limits that hold for a caller: its own, and those of the configuration where it has none.
import type { Config } from '../config.js'
import type { CallerLimits } from '../schemas/server/caller-limits.js'

/** 0: no limit. */
export interface EffectiveLimits {
  readonly requestsPerSecond: number
  /** Requests that may come at once after a pause. */
  readonly burst: number
  readonly requestsAtOnce: number
  /** Value of `RateLimit-Policy`; empty if the rate has no limit. */
  readonly policy: string
}

export type Defaults = Pick<Config, 'callerRequestsPerSecond' | 'callerBurst' | 'callerRequestsAtOnce'>

/** Undefined: nothing is limited. */
export function effectiveLimits(defaults: Defaults, own: CallerLimits = {}): EffectiveLimits | undefined {
  const { requestsPerSecond = defaults.callerRequestsPerSecond, requestsAtOnce = defaults.callerRequestsAtOnce } = own
  if (requestsPerSecond === 0 && requestsAtOnce === 0) return undefined
  // The burst of the configuration belongs to its rate.
  const usual = own.requestsPerSecond === undefined ? defaults.callerBurst : undefined
  const burst = Math.max(1, own.burst ?? usual ?? requestsPerSecond)
  const windowS = Math.ceil(burst / Math.max(1, requestsPerSecond))
  const policy = requestsPerSecond === 0 ? '' : `"requests";q=${burst};w=${windowS}`
  return { requestsPerSecond, burst, requestsAtOnce, policy }
}
