// Access: the administrator token, login codes that work once, and the sessions they start.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const SECRET_BYTES = 32
const CODE_LIFE_MS = 60 * 60_000
const SESSION_LIFE_MS = 12 * 60 * 60_000
const CODES_MAX = 100
const SESSIONS_MAX = 1000

/** Failed logins allowed per address within the window. */
const FAILURES_MAX = 10
const FAILURE_WINDOW_MS = 60_000
const ADDRESSES_MAX = 10_000

export interface Credential {
  secret: string
  expiresAtMs: number
}

export class Access {
  readonly #token: Buffer
  readonly #scratch: Buffer
  readonly #codes = new Expiring(CODES_MAX)
  readonly #sessions = new Expiring(SESSIONS_MAX)
  readonly #failures = new Map<string, { count: number; untilMs: number }>()

  constructor(token: string) {
    this.#token = Buffer.from(token, 'latin1')
    this.#scratch = Buffer.alloc(this.#token.length)
  }

  /** Compares in constant time. */
  isToken(candidate: string): boolean {
    if (candidate.length !== this.#token.length) return false
    this.#scratch.write(candidate, 'latin1')
    return timingSafeEqual(this.#scratch, this.#token)
  }

  newCode(): Credential {
    return this.#codes.add(CODE_LIFE_MS)
  }

  /** Trades a login code for a session; a code works once. */
  redeem(code: string): Credential | null {
    return this.#codes.remove(code) ? this.newSession() : null
  }

  newSession(): Credential {
    return this.#sessions.add(SESSION_LIFE_MS)
  }

  sessionEnd(session: string): number | null {
    return this.#sessions.end(session)
  }

  /** Returns a function that says whether the session has ended; a call costs one lookup. */
  watch(session: string): () => boolean {
    const hash = hashOf(session)
    return () => !this.#sessions.alive(hash)
  }

  endSession(session: string): void {
    this.#sessions.remove(session)
  }

  /** Counts a failed login. Returns the seconds to wait if there were too many, else 0. */
  failed(address: string): number {
    const now = Date.now()
    const known = this.#failures.get(address)
    if (known === undefined || known.untilMs <= now) {
      if (this.#failures.size >= ADDRESSES_MAX) this.#failures.clear()
      this.#failures.set(address, { count: 1, untilMs: now + FAILURE_WINDOW_MS })
      return 0
    }
    known.count += 1
    return known.count > FAILURES_MAX ? Math.ceil((known.untilMs - now) / 1000) : 0
  }
}

/** Secrets that expire. Only their hashes are kept, so the timing of a lookup leaks nothing. */
class Expiring {
  readonly #ends = new Map<string, number>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  add(lifeMs: number): Credential {
    const now = Date.now()
    for (const [hash, end] of this.#ends) {
      if (end <= now) this.#ends.delete(hash)
    }
    const oldest = this.#ends.keys().next()
    if (this.#ends.size >= this.#max && oldest.done !== true) this.#ends.delete(oldest.value)
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    const expiresAtMs = now + lifeMs
    this.#ends.set(hashOf(secret), expiresAtMs)
    return { secret, expiresAtMs }
  }

  alive(hash: string): boolean {
    return (this.#ends.get(hash) ?? 0) > Date.now()
  }

  end(secret: string): number | null {
    const end = this.#ends.get(hashOf(secret))
    return end === undefined || end <= Date.now() ? null : end
  }

  /** True if the secret existed and had not expired. */
  remove(secret: string): boolean {
    const alive = this.end(secret) !== null
    this.#ends.delete(hashOf(secret))
    return alive
  }
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64')
