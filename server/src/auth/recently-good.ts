// Secrets that were right from a network a short time ago. They are let in while wrong guesses from there have to wait.
import { createHash } from 'node:crypto'

const KEPT_MS = 60 * 60_000
/** A secret that is in use is written down again after this time, so that a request costs a look at a map. */
const AGAIN_MS = 60_000
const MOST = 10_000

export class RecentlyGood {
  /** Until when, by network and hash of the secret. */
  readonly #until = new Map<string, number>()
  /** When it was last written down, by owner and network. Bounded in all, as it is emptied when it is full. */
  readonly #noted = new Map<unknown, Map<string, number>>()
  #networks = 0

  has(network: string, secret: string): boolean {
    return (this.#until.get(keyOf(network, secret)) ?? 0) > performance.now()
  }

  /** `owner`: whose secret it is, the same object or text each time. */
  note(network: string, secret: string, owner: unknown): void {
    const nowMs = performance.now()
    const networks = this.#noted.get(owner)
    const notedMs = networks?.get(network)
    if (notedMs !== undefined && nowMs - notedMs < AGAIN_MS) return
    if (notedMs === undefined) this.#makeRoom()
    const all = this.#noted.get(owner) ?? new Map<string, number>()
    this.#noted.set(owner, all.set(network, nowMs))
    put(this.#until, keyOf(network, secret), nowMs + KEPT_MS)
  }

  #makeRoom(): void {
    this.#networks += 1
    if (this.#networks <= MOST) return
    this.#noted.clear()
    this.#networks = 1
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
