// Entity tags: the hash of a configuration, the generation of a record; and If-Match, by one rule for all routes (RFC 9110).
import { createHash } from 'node:crypto'
import { GatewayError } from '../errors.js'

const TAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/
/** Most tags in one If-Match: each may be a try. */
const TAGS_MAX = 16
const GENERATION_MAX = 65_535

const field = 'if-match'

export function configEtag(config: object): string {
  return `"${createHash('sha256').update(JSON.stringify(config)).digest('base64url').slice(0, 16)}"`
}

/**
 * The tags of If-Match that can match: a weak one never does. undefined: any state that is there.
 *
 * @throws `if_match_invalid`
 */
function tagsOf(ifMatch: string): string[] | undefined {
  if (ifMatch.trim() === '*') return undefined
  // A comma may be part of a tag. A quote that is never closed goes to the end, and is wrong.
  const tags = (ifMatch.match(/(?:"[^"]*(?:"|$)|[^",])+/g) ?? []).map((tag) => tag.trim()).filter((tag) => tag !== '')
  const wrong = tags.find((tag) => !TAG.test(tag))
  if (tags.length === 0 || wrong !== undefined)
    throw new GatewayError(
      'if_match_invalid',
      `If-Match must be *, or ETags in quotes such as "3", got ${(wrong ?? '').slice(0, 40) || 'none'}`,
      { field },
    )
  if (tags.length > TAGS_MAX)
    throw new GatewayError('if_match_invalid', `If-Match may list ${TAGS_MAX} ETags, got ${tags.length}`, { field })
  return tags.filter((tag) => !tag.startsWith('W/'))
}

/**
 * `etag`: of the current state; undefined: there is none.
 *
 * @throws `if_match_invalid`, and `precondition_failed` if If-Match does not name the current state
 */
export function requireMatch(ifMatch: string | undefined, etag: string | undefined): void {
  if (ifMatch === undefined) return
  const tags = tagsOf(ifMatch)
  if (etag !== undefined && (tags === undefined || tags.includes(etag))) return
  const message = etag === undefined ? 'there is nothing yet' : `the current ETag is ${etag}; read the resource again`
  throw new GatewayError('precondition_failed', message, { field })
}

/**
 * Does `write` with a generation that If-Match allows, or without one. Of several, it tries one after the other: each try
 * compares and writes in one step, so none is lost.
 *
 * @throws `if_match_invalid`, `generation_mismatch`, and as `write`
 */
export async function writeMatching<T>(
  ifMatch: string | undefined,
  write: (generation: number | undefined) => T | Promise<T>,
): Promise<T> {
  const tags = ifMatch === undefined ? undefined : tagsOf(ifMatch)
  if (tags === undefined) return write(undefined)
  let failure: unknown = new GatewayError('generation_mismatch', `no record has the ETag ${ifMatch}`, { field })
  for (const generation of tags.flatMap(generationOf)) {
    try {
      return await write(generation)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'generation_mismatch') throw error
      failure = error
    }
  }
  throw failure
}

/** The generation that a tag names, if a record can have it. */
function generationOf(tag: string): number[] {
  const digits = /^"([1-9]\d{0,4})"$/.exec(tag)?.[1]
  const generation = Number(digits)
  return digits === undefined || generation > GENERATION_MAX ? [] : [generation]
}
