// Devices that have signed a user in before, by a signed cookie. Their guesses are counted apart from those of strangers,
// so strangers cannot lock a user out (OWASP: "Slow Down Online Guessing Attacks with Device Cookies").
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { SignedIn } from './sessions.js'

const NONCE_BYTES = 16

export class KnownDevices {
  readonly #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
  }

  /**
   * The value of a cookie that says that the device has signed this user in. Who knows the password could make many, so
   * they end with it.
   */
  newMark(user: SignedIn): string {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url')
    return `${nonce}.${this.#sign(nonce, user).toString('base64url')}`
  }

  /** The device, if the mark is one of ours for this user and the password of now. */
  deviceOf(mark: string | null, user: SignedIn): string | undefined {
    const [nonce = '', signature = ''] = mark?.split('.') ?? []
    const given = Buffer.from(signature, 'base64url')
    const right = this.#sign(nonce, user)
    return given.length === right.length && timingSafeEqual(given, right) ? nonce : undefined
  }

  #sign(nonce: string, { name, stamp }: SignedIn): Buffer {
    return createHmac('sha256', this.#key).update(`${nonce} ${name} ${stamp}`).digest()
  }
}
