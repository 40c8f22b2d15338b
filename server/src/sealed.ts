// Text that goes to a client and comes back: nobody there can read or change it. A restart makes all of it void.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const [IV, TAG] = [12, 16]

export class Sealer {
  readonly #key = randomBytes(32)

  seal(text: string): string {
    const iv = randomBytes(IV)
    const cipher = createCipheriv(CIPHER, this.#key, iv)
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  /** Undefined: it is not what this sealer has made. */
  open(sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length < IV + TAG) return undefined
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, IV))
      decipher.setAuthTag(bytes.subarray(IV, IV + TAG))
      return decipher.update(bytes.subarray(IV + TAG), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      return undefined
    }
  }
}
