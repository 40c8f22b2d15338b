// Secrets that were right from a network a short time ago. They are let in while wrong guesses from there have to wait.
import { createHash } from 'node:crypto'

const KEPT_MS = 60 * 60_000
/** A secret that is in use is written down again after this time, so that a request costs a look at a map. */
const AGAIN_MS = 60_000
const MOST = 10_000

export class RecentlyGood {
  /** Until when, by network and hash of the secret. */
  readonly #until = new Map<string, number>()
  /** When it was last written down, by network and caller. */
  readonly #noted = new Map<string, number>()

  has(network: string, secret: string): boolean {
    return (this.#until.get(keyOf(network, secret)) ?? 0) > performance.now()
  }

  note(network: string, secret: string, who: string): void {
    const nowMs = performance.now()
    const caller = `${network} ${who}`
    if (nowMs - (this.#noted.get(caller) ?? -AGAIN_MS) < AGAIN_MS) return
    put(this.#noted, caller, nowMs)
    put(this.#until, keyOf(network, secret), nowMs + KEPT_MS)
  }
}

/** The one that was written down the longest ago makes room. Only who has a right secret gets here. */
function put(map: Map<string, number>, key: string, value: number): void {
  map.delete(key)
  const [oldest] = map.keys()
  if (map.size >= MOST && oldest !== undefined) map.delete(oldest)
  map.set(key, value)
}

const keyOf = (network: string, secret: string): string =>
  `${network} ${createHash('sha256').update(secret).digest('base64url')}`
