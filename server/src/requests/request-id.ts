// Ids of requests, for answers and logs.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Keeps the caller's own id if it is harmless in logs. */
const CALLER_ID = /^[A-Za-z0-9._-]{1,64}$/

const prefix = randomBytes(4).toString('hex')
let counter = 0

export function requestId(raw: IncomingMessage): string {
  const given = raw.headers['x-request-id']
  if (typeof given === 'string' && CALLER_ID.test(given)) return given
  counter += 1
  return `${prefix}-${counter.toString(36)}`
}
