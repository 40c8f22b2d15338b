// Sessions outlive a restart: `sessions/sessions.json` in the data directory has the hashes of their secrets.
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { CheckedFile } from '../files/checked-file.js'
import type { EarlierSession, Sessions } from './sessions.js'
import type { Users } from './users.js'

/** Those that were used last are kept. */
const MOST = 10_000
/** A time of last use is in the file after this time. */
const WRITE_MS = 60_000

const KeptSession = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  /** Unset: begun with the administrator token. `stamp`: the hash of the stamp of the password. */
  user: Type.Optional(Type.Object({ name: Type.String({ minLength: 1 }), stamp: Type.String({ minLength: 1 }) })),
  createdAtMs: Type.Integer({ minimum: 0 }),
  usedAtMs: Type.Integer({ minimum: 0 }),
  address: Type.Optional(Type.String()),
  userAgent: Type.Optional(Type.String()),
  hash: Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' }),
})
type KeptSession = Static<typeof KeptSession>
const KeptBody = Type.Object({ key: Type.String(), sessions: Type.Array(KeptSession, { maxItems: MOST }) })
type KeptBody = Static<typeof KeptBody>
const isKept = (body: unknown): body is KeptBody => Check(KeptBody, body)

export class KeptSessions {
  readonly #file: CheckedFile<KeptBody>
  readonly #sessions: Sessions
  readonly #warn: (error: unknown) => void
  #key: string | undefined
  #later: NodeJS.Timeout | undefined
  #isDirty = false
  #writing: Promise<void> | undefined

  /** `warn`: the sessions could not be written, so they end with the server. */
  constructor(dataDirectory: string, sessions: Sessions, warn: (error: unknown) => void) {
    this.#file = new CheckedFile(dataDirectory, 'sessions', 'sessions.json')
    this.#sessions = sessions
    this.#warn = warn
  }

  /**
   * Goes on with the sessions of the last start, if `key` is that of then and their users still have the same passwords.
   * Returns what is damaged. Sessions of a damaged file have ended.
   */
  async load(key: string, users: Pick<Users, 'stamp'>): Promise<string[]> {
    this.#key = key
    const found = await this.#file.load(isKept)
    if (found !== undefined && 'body' in found && found.body.key === key)
      this.#sessions.restore(found.body.sessions.flatMap((kept) => restored(kept, users)))
    this.#sessions.watch((change) => {
      if (change === 'used') this.#later ??= setTimeout(() => this.#write(), WRITE_MS).unref()
      else this.#write()
    })
    return found !== undefined && 'damage' in found ? [found.damage] : []
  }

  /** Resolves when what has changed until now is in the file, or could not be written. */
  async written(): Promise<void> {
    await this.#writing
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    if (this.#later !== undefined) this.#write()
    await this.#writing
  }

  /** One write at a time. What changes meanwhile is in the next one. */
  #write(): void {
    clearTimeout(this.#later)
    this.#later = undefined
    this.#isDirty = true
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
  }

  async #writeAll(): Promise<void> {
    while (this.#isDirty && this.#key !== undefined) {
      this.#isDirty = false
      await this.#file.save({ key: this.#key, sessions: kept(this.#sessions) }).catch(async (error: unknown) => {
        this.#warn(error)
        // One that has ended must not come back with the next start. A full disk has no room, and needs none for this.
        await rm(this.#file.path, { force: true }).catch(this.#warn)
      })
    }
  }
}

/** A provider may sign a person out while the server is down, so their sessions end with it. */
const kept = (sessions: Sessions): KeptSession[] =>
  sessions
    .list()
    .filter(({ person }) => person === undefined)
    .toSorted((a, b) => b.usedAtMs - a.usedAtMs)
    .slice(0, MOST)
    .map(({ id, user, createdAtMs, usedAtMs, address, userAgent, hash }) => ({
      id,
      ...(user !== undefined && { user: { name: user.name, stamp: hashOf(user.stamp) } }),
      createdAtMs,
      usedAtMs,
      ...(address !== undefined && { address }),
      ...(userAgent !== undefined && { userAgent }),
      hash,
    }))

function restored({ user, address, userAgent, ...kept }: KeptSession, users: Pick<Users, 'stamp'>): EarlierSession[] {
  const rest = { ...kept, address, userAgent }
  if (user === undefined) return [{ ...rest, user }]
  const stamp = users.stamp(user.name)
  return stamp === undefined || hashOf(stamp) !== user.stamp ? [] : [{ ...rest, user: { name: user.name, stamp } }]
}

const hashOf = (stamp: string): string => createHash('sha256').update(stamp).digest('base64')
