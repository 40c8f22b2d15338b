// Entity tags: of a configuration its hash, of a record its generation.
import { createHash } from 'node:crypto'
import { GatewayError } from '../errors.js'

export function configEtag(config: object): string {
  return `"${createHash('sha256').update(JSON.stringify(config)).digest('base64url').slice(0, 16)}"`
}

/** @throws `precondition_failed` when If-Match names another state than the present one. */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined || ifMatch === '*') return
  if (ifMatch.split(',').some((candidate) => candidate.trim() === etag)) return
  throw new GatewayError('precondition_failed', `it is ${etag} now`, { field: 'if-match' })
}

/** The generation that If-Match asks for; undefined when any will do. */
export function generationOf(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch === '*') return undefined
  const match = /^"(\d{1,10})"$/.exec(ifMatch)
  if (match === null) {
    throw new GatewayError('if_match_invalid', 'a record\'s ETag is its generation in quotes, such as "3"', {
      field: 'if-match',
    })
  }
  return Number(match[1])
}
