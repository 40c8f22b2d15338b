// Entity tags: the hash of a configuration, the generation of a record.
import { createHash } from 'node:crypto'
import { GatewayError } from '../errors.js'

export function configEtag(config: object): string {
  return `"${createHash('sha256').update(JSON.stringify(config)).digest('base64url').slice(0, 16)}"`
}

/** @throws `precondition_failed` if If-Match does not name the current state. */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined || ifMatch === '*') return
  if (ifMatch.split(',').some((candidate) => candidate.trim() === etag)) return
  throw new GatewayError('precondition_failed', `the current ETag is ${etag}; read the resource again`, {
    field: 'if-match',
  })
}

/** The generation that If-Match requires; undefined: any. */
export function generationOf(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch === '*') return undefined
  const match = /^"(\d{1,10})"$/.exec(ifMatch)
  if (match === null) {
    throw new GatewayError(
      'if_match_invalid',
      `If-Match must be a generation in quotes, such as "3", got ${ifMatch.slice(0, 40)}`,
      {
        field: 'if-match',
      },
    )
  }
  return Number(match[1])
}
