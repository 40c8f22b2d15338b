// Cursors of callers who have only some sets of a namespace. A cursor tells how many records lie before it, those of other
// sets included, so they get it sealed.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { GatewayError } from '../../errors.js'

const CIPHER = 'aes-256-gcm'
const [IV, TAG] = [12, 16]
/** A restart ends all cursors. */
const KEY = randomBytes(32)

export function seal(cursor: string): string {
  const iv = randomBytes(IV)
  const cipher = createCipheriv(CIPHER, KEY, iv)
  const sealed = Buffer.concat([cipher.update(cursor, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** @throws GatewayError `cursor_invalid` */
export function unseal(text: string): string {
  const bytes = Buffer.from(text, 'base64url')
  try {
    const decipher = createDecipheriv(CIPHER, KEY, bytes.subarray(0, IV))
    decipher.setAuthTag(bytes.subarray(IV, IV + TAG))
    return decipher.update(bytes.subarray(IV + TAG), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    throw new GatewayError('cursor_invalid', 'the cursor does not belong to this list; start again without a cursor', {
      field: 'cursor',
    })
  }
}
