// Tokens for programs: `access/tokens.json` in the data directory has their hashes, never the tokens.
import { createHash, randomBytes } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { GatewayError } from '../errors.js'
import { CheckedFile } from '../files/checked-file.js'
import { newId } from '../files/object-files.js'
import { momentMs } from '../requests/moment.js'
import { ApiToken, type ApiTokenPatch, type ApiTokenSpec } from '../schemas/server/tokens.js'
import { Turns } from '../turns.js'
import { TOKENS_FILE, USERS_FILE } from './files.js'
import { checkGrants, isGrants } from './grant-rules.js'
import { say } from '../sentences/sentence.js'

/** Most tokens that there can be. */
const MOST = 1000
const SECRET_BYTES = 32
const PREFIX = 'tsr_'
/** As many characters of a token as a list shows. */
const SHOWN = PREFIX.length + 6
/** A time of last use is in the file after this time. */
const WRITE_MS = 60_000

const KeptToken = Type.Intersect([ApiToken, Type.Object({ hash: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }) })])
export type KeptToken = Static<typeof KeptToken>
const KeptTokens = Type.Object({ tokens: Type.Array(KeptToken, { maxItems: MOST }) })
type KeptTokens = Static<typeof KeptTokens>
const isKept = (body: unknown): body is KeptTokens =>
  Check(KeptTokens, body) && body.tokens.every(({ grants }) => isGrants(grants))

export class ApiTokens {
  readonly #file: CheckedFile<KeptTokens>
  readonly #warn: (error: unknown) => void
  readonly #turns = new Turns()
  /** Goes up with each change, in memory that all threads share: who remembers a token compares it. */
  readonly revision = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  /** By hash, oldest first. */
  #tokens = new Map<string, KeptToken>()
  #unwritten: NodeJS.Timeout | undefined

  /** `warn`: a time of last use could not be written. */
  constructor(dataDirectory: string, warn: (error: unknown) => void) {
    this.#file = new CheckedFile(dataDirectory, 'access', TOKENS_FILE)
    this.#warn = warn
  }

  /** Returns what is damaged. No token of a damaged file is accepted. */
  async load(): Promise<string[]> {
    const found = await this.#file.load(isKept, [USERS_FILE])
    if (found === undefined) return []
    if ('damage' in found) return [found.damage]
    this.#tokens = byHash(found.body.tokens)
    return []
  }

  /** Newest first. */
  list(): ApiToken[] {
    return [...this.#tokens.values()].map(shown).reverse()
  }

  /** @throws GatewayError `token_not_found` */
  get(id: string): ApiToken {
    return shown(this.#kept(id))
  }

  /**
   * Makes a token. The answer alone has it.
   *
   * @throws GatewayError `token_exists`, `token_limit`, `field_invalid`, `data_directory_unavailable`
   */
  create({ name, grants, expiresAt, limits }: ApiTokenSpec, who: string): Promise<{ token: string; made: ApiToken }> {
    return this.#turns.take('', async () => {
      checkGrants(grants)
      const before = [...this.#tokens.values()]
      if (before.some((other) => other.name === name))
        throw new GatewayError('token_exists', say('there is a token "{name}"; revoke it first', { name }), {
          field: 'name',
        })
      if (before.length >= MOST)
        throw new GatewayError(
          'token_limit',
          say('all {most, number} tokens are in use; revoke one that is no longer needed', { most: MOST }),
        )
      const endMs = expiresAt === undefined ? undefined : momentMs(expiresAt)
      if (endMs !== undefined && endMs <= Date.now())
        throw new GatewayError('field_invalid', say('expiresAt must be later than now'), { field: 'expiresAt' })
      const token = `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`
      const kept: KeptToken = {
        id: newId(),
        name,
        grants,
        prefix: token.slice(0, SHOWN),
        createdAt: new Date().toISOString(),
        who,
        ...(endMs !== undefined && { expiresAt: new Date(endMs).toISOString() }),
        ...(limits !== undefined && { limits }),
        hash: hashOf(token),
      }
      await this.#save([...before, kept])
      return { token, made: shown(kept) }
    })
  }

  /** @throws GatewayError `token_not_found`, `data_directory_unavailable` */
  change(id: string, { limits }: ApiTokenPatch): Promise<ApiToken> {
    return this.#turns.take('', async () => {
      const before = this.#kept(id)
      const after = { ...before, limits }
      await this.#save([...this.#tokens.values()].map((kept) => (kept === before ? after : kept)))
      return shown(after)
    })
  }

  /** @throws GatewayError `token_not_found`, `data_directory_unavailable` */
  revoke(id: string): Promise<ApiToken> {
    return this.#turns.take('', async () => {
      const revoked = this.#kept(id)
      await this.#save([...this.#tokens.values()].filter((kept) => kept !== revoked))
      return shown(revoked)
    })
  }

  /** The token that this is, if it is one and has not expired. It counts as used. */
  accept(candidate: string): KeptToken | undefined {
    if (!candidate.startsWith(PREFIX)) return undefined
    // Only the hash is compared, so the time of a lookup tells nothing.
    const kept = this.#tokens.get(hashOf(candidate))
    if (kept === undefined || isOver(kept)) return undefined
    this.#use(kept)
    return kept
  }

  /** Returns a function that says whether a token was revoked or has expired. */
  watch({ hash }: KeptToken): () => boolean {
    return () => {
      const kept = this.#tokens.get(hash)
      return kept === undefined || isOver(kept)
    }
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    if (this.#unwritten !== undefined) await this.#write()
  }

  /** To the minute, so that a busy token costs nothing. */
  #use(kept: KeptToken): void {
    const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()
    if (kept.lastUsedAt === minute) return
    kept.lastUsedAt = minute
    this.#unwritten ??= setTimeout(() => void this.#write(), WRITE_MS).unref()
  }

  #write(): Promise<void> {
    clearTimeout(this.#unwritten)
    this.#unwritten = undefined
    return this.#turns.take('', () => this.#save([...this.#tokens.values()]).catch(this.#warn))
  }

  #kept(id: string): KeptToken {
    const found = [...this.#tokens.values()].find((kept) => kept.id === id)
    if (found === undefined)
      throw new GatewayError('token_not_found', say('there is no token "{id}"', { id: id.slice(0, 32) }), {
        field: 'id',
      })
    return found
  }

  /** What cannot be written does not hold. */
  async #save(tokens: KeptToken[]): Promise<void> {
    await this.#file.save({ tokens })
    this.#tokens = byHash(tokens)
    Atomics.add(this.revision, 0, 1)
  }
}

const byHash = (tokens: readonly KeptToken[]): Map<string, KeptToken> =>
  new Map(tokens.map((kept) => [kept.hash, kept]))

const isOver = ({ expiresAt }: KeptToken): boolean => expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()

function shown(kept: KeptToken): ApiToken {
  const { hash: _, ...token } = kept
  return token
}

/** 256 random bits need no slow hash. */
const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')
