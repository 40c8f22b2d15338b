// Access: the administrator token, what is derived from it, and login codes that work once.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { KnownDevices } from './devices.js'
import type { Credential } from './sessions.js'

const CODE_BYTES = 32
const CODE_LIFE_MS = 60 * 60_000
const CODES_MAX = 100

export class Access {
  /** Names this server among those that a browser knows at the same host. */
  readonly id: string
  readonly devices: KnownDevices
  /** Sessions that are kept are of this token: with another one they end. */
  readonly sessionsKey: string
  readonly #token: Buffer
  readonly #scratch: Buffer
  /** When a code ends, by its hash: the timing of a lookup leaks nothing. */
  readonly #codes = new Map<string, number>()

  constructor(token: string) {
    this.#token = Buffer.from(token, 'latin1')
    this.#scratch = Buffer.alloc(this.#token.length)
    // The token is in the data directory and stays the same. Nobody can compute it from these.
    const derive = (purpose: string): Buffer => createHmac('sha256', this.#token).update(purpose).digest()
    this.id = derive('name of cookies').toString('hex').slice(0, 8)
    this.sessionsKey = derive('kept sessions').toString('hex')
    this.devices = new KnownDevices(derive('known devices'))
  }

  /** Compares in constant time. */
  isToken(candidate: string): boolean {
    if (candidate.length !== this.#token.length) return false
    this.#scratch.write(candidate, 'latin1')
    return timingSafeEqual(this.#scratch, this.#token)
  }

  newCode(): Credential {
    const nowMs = Date.now()
    for (const [hash, end] of this.#codes) if (end <= nowMs) this.#codes.delete(hash)
    const [oldest] = this.#codes.keys()
    if (this.#codes.size >= CODES_MAX && oldest !== undefined) this.#codes.delete(oldest)
    const secret = randomBytes(CODE_BYTES).toString('base64url')
    const expiresAtMs = nowMs + CODE_LIFE_MS
    this.#codes.set(hashOf(secret), expiresAtMs)
    return { secret, expiresAtMs }
  }

  /** Uses a login code up: true if it existed and had not expired. */
  redeem(code: string): boolean {
    const hash = hashOf(code)
    const end = this.#codes.get(hash) ?? 0
    this.#codes.delete(hash)
    return end > Date.now()
  }
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64')
