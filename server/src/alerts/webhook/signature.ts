// The signature of a notice, so that its receiver knows who sent it and when.
import { createHmac } from 'node:crypto'

export const SIGNATURE_HEADER = 'x-tessera-signature'

/** `t` is part of what is signed, so that an old notice cannot be sent again. */
export function sign(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}
