// Whose token a request carries, as a worker knows it: asked of the main thread, and remembered until any token changes.
import { hash } from 'node:crypto'
import type { TokenOwner } from '../auth/callers.js'
import type { OwnerAnswer } from './calls.js'

/** Asked again after the minute: the main thread notes when a token was last used, to the minute. */
const MINUTE_MS = 60_000
const MOST = 10_000

interface Known {
  owner: TokenOwner
  untilMs: number
}

export class Owners {
  readonly #revision: Int32Array
  readonly #ask: (address: string | undefined, token: string) => Promise<OwnerAnswer>
  /** By hash of address and token, oldest first. */
  readonly #known = new Map<string, Known>()
  #knownAt: number

  /** `revision`: of the tokens, in memory that the main thread writes before it answers a change. */
  constructor(revision: Int32Array, ask: (address: string | undefined, token: string) => Promise<OwnerAnswer>) {
    this.#revision = revision
    this.#ask = ask
    this.#knownAt = Atomics.load(revision, 0)
  }

  /** Undefined: the main thread has to look at the request itself. */
  of(address: string | undefined, token: string): TokenOwner | undefined | Promise<TokenOwner | undefined> {
    const key = hash('sha256', `${address ?? ''} ${token}`, 'base64')
    return this.#find(key) ?? this.#learn(key, address, token)
  }

  #find(key: string): TokenOwner | undefined {
    const revision = Atomics.load(this.#revision, 0)
    if (revision !== this.#knownAt) {
      this.#known.clear()
      this.#knownAt = revision
    }
    const known = this.#known.get(key)
    if (known === undefined || known.untilMs > Date.now()) return known?.owner
    this.#known.delete(key)
    return undefined
  }

  async #learn(key: string, address: string | undefined, token: string): Promise<TokenOwner | undefined> {
    const { owner, revision } = await this.#ask(address, token)
    // A token may have changed on the way of the answer.
    if (owner === undefined || revision !== Atomics.load(this.#revision, 0)) return undefined
    this.#find(key)
    const [oldest] = this.#known.keys()
    if (this.#known.size >= MOST && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(key, { owner, untilMs: endOf(owner) })
    return owner
  }
}

function endOf(owner: TokenOwner): number {
  const minuteMs = (Math.floor(Date.now() / MINUTE_MS) + 1) * MINUTE_MS
  const { expiresAt } = owner === 'token' ? {} : owner
  return expiresAt === undefined ? minuteMs : Math.min(minuteMs, Date.parse(expiresAt))
}
