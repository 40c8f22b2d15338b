// An authenticator app, written from RFC 6238 and RFC 4226 alone, so that it shares no mistake with the server.
import { createHmac } from 'node:crypto'

const STEP_MS = 30_000
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code of now, or of so many steps later. */
export function codeOf(secret: string, later = 0): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + later))
  const hash = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const at = (hash.at(-1) ?? 0) & 15
  return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** Base32 (RFC 4648), with blanks as people are shown it. */
function bytesOf(secret: string): Buffer {
  const bits = Array.from(secret.replaceAll(' ', ''), (letter) =>
    LETTERS.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
