// Entity tags: the hash of a configuration, the generation of a record; If-Match and If-None-Match, by one rule for all
// routes (RFC 9110).
import { createHash } from 'node:crypto'
import { GatewayError } from '../errors.js'
import { say } from '../sentences/sentence.js'

const TAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/
/** Most tags in one If-Match: each may be a try. */
const TAGS_MAX = 16
const GENERATION_MAX = 65_535

/** What makes a header wrong, by its name. */
const CONDITIONS = { 'if-match': 'if_match_invalid', 'if-none-match': 'if_none_match_invalid' } as const

export function configEtag(config: object): string {
  return `"${createHash('sha256').update(JSON.stringify(config)).digest('base64url').slice(0, 16)}"`
}

/** Of a body that is sent in several encodings: weak, because it is the same for each. */
export function bodyEtag(body: Buffer | string): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`
}

/**
 * The tags of a header. undefined: `*`, any state that is there.
 *
 * @throws `if_match_invalid`, `if_none_match_invalid`
 */
function tagsIn(text: string, field: keyof typeof CONDITIONS): string[] | undefined {
  if (text.trim() === '*') return undefined
  // A comma may be part of a tag. A quote that is never closed goes to the end, and is wrong.
  const tags = (text.match(/(?:"[^"]*(?:"|$)|[^",])+/g) ?? []).map((tag) => tag.trim()).filter((tag) => tag !== '')
  const wrong = tags.find((tag) => !TAG.test(tag))
  if (tags.length > 0 && wrong === undefined) return tags
  const name = field === 'if-match' ? 'If-Match' : 'If-None-Match'
  const got = (wrong ?? '').slice(0, 40) || 'none'
  throw new GatewayError(
    CONDITIONS[field],
    say('{name} must be *, or ETags in quotes such as "3", got {given}', { name, given: got }),
    { field },
  )
}

/**
 * The tags of If-Match that can match: a weak one never does. undefined: any state that is there.
 *
 * @throws `if_match_invalid`
 */
function tagsOf(ifMatch: string): string[] | undefined {
  const tags = tagsIn(ifMatch, 'if-match')
  if (tags !== undefined && tags.length > TAGS_MAX)
    throw new GatewayError(
      'if_match_invalid',
      say('If-Match may list {most} ETags, got {given}', { most: TAGS_MAX, given: tags.length }),
      {
        field: 'if-match',
      },
    )
  return tags?.filter((tag) => !tag.startsWith('W/'))
}

/**
 * Reads If-None-Match of a reader: whether an ETag is one that the reader has. Weak tags count (RFC 9110, 13.1.2).
 *
 * @throws `if_none_match_invalid`
 */
export function readIfNoneMatch(ifNoneMatch: string): (etag: string) => boolean {
  const tags = tagsIn(ifNoneMatch, 'if-none-match')?.map(opaque)
  return (etag) => tags === undefined || tags.includes(opaque(etag))
}

const opaque = (tag: string): string => tag.replace(/^W\//, '')

/**
 * `etag`: of the current state; undefined: there is none.
 *
 * @throws `if_match_invalid`, and `precondition_failed` if If-Match does not name the current state
 */
export function requireMatch(ifMatch: string | undefined, etag: string | undefined): void {
  if (ifMatch === undefined) return
  const tags = tagsOf(ifMatch)
  if (etag !== undefined && (tags === undefined || tags.includes(etag))) return
  const why =
    etag === undefined
      ? say('there is nothing yet')
      : say('the current ETag is {etag}; read the resource again', { etag })
  throw new GatewayError('precondition_failed', why, { field: 'if-match' })
}

/**
 * Does `write` with a generation that If-Match allows, or without one. Of several, it tries one after the other: each try
 * compares and writes in one step, so none is lost.
 *
 * @throws `if_match_invalid`, `generation_mismatch`, and as `write`
 */
export function writeMatching<T>(
  ifMatch: string | undefined,
  write: (generation: number | undefined) => T | Promise<T>,
): T | Promise<T> {
  const tags = ifMatch === undefined ? undefined : tagsOf(ifMatch)
  return tags === undefined ? write(undefined) : writeOneOf(tags, ifMatch, write)
}

async function writeOneOf<T>(
  tags: readonly string[],
  ifMatch: string | undefined,
  write: (generation: number | undefined) => T | Promise<T>,
): Promise<T> {
  let failure: unknown = new GatewayError(
    'generation_mismatch',
    say('no record has the ETag {etag}', { etag: ifMatch ?? '' }),
    {
      field: 'if-match',
    },
  )
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
