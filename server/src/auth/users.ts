// Users: people with a password and grants, in `access/users.json` of the data directory. It has hashes of passwords, and
// the secrets of second factors.
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { GatewayError } from '../errors.js'
import { CheckedFile } from '../files/checked-file.js'
import type { CallerLimits } from '../schemas/server/caller-limits.js'
import { User, type UserPatch, type UserSpec } from '../schemas/server/users.js'
import { Turns } from '../turns.js'
import { TOKENS_FILE, USERS_FILE } from './files.js'
import { checkGrants, isGrants } from './grant-rules.js'
import { type Grants, grantsOf } from './grants.js'
import { checkNewPassword, Passwords } from './passwords.js'
import { KeptFactor } from './kept-factor.js'
import { say } from '../sentences/sentence.js'

/** Most users that there can be. */
const MOST = 1000

const KeptUser = Type.Intersect([
  User,
  Type.Object({
    hash: Type.String({ pattern: '^\\$argon2id\\$v=19\\$m=\\d{1,6},t=\\d{1,2},p=\\d\\$[^$]+\\$[^$]+$' }),
    /** Unset: the password alone signs in. */
    factor: Type.Optional(KeptFactor),
  }),
])
type KeptUser = Static<typeof KeptUser>
const KeptUsers = Type.Object({ users: Type.Array(KeptUser, { maxItems: MOST }) })
type KeptUsers = Static<typeof KeptUsers>
const isKept = (body: unknown): body is KeptUsers =>
  Check(KeptUsers, body) && body.users.every(({ grants }) => isGrants(grants))

export class Users {
  readonly #file: CheckedFile<KeptUsers>
  readonly #warn: (error: unknown) => void
  readonly #now: () => number
  readonly #passwords = new Passwords()
  readonly #turns = new Turns()
  #users = new Map<string, KeptUser>()

  /** `warn`: a time of last sign-in could not be written. `now`: the time that codes are compared with, Unix ms. */
  constructor(dataDirectory: string, warn: (error: unknown) => void, now = (): number => Date.now()) {
    this.#file = new CheckedFile(dataDirectory, 'access', USERS_FILE)
    this.#warn = warn
    this.#now = now
  }

  /** Returns what is damaged. No user of a damaged file is let in. */
  async load(): Promise<string[]> {
    const found = await this.#file.load(isKept, [TOKENS_FILE])
    if (found === undefined) return []
    if ('damage' in found) return [found.damage]
    this.#users = byName(found.body.users)
    return []
  }

  /** By name. */
  list(): User[] {
    return [...this.#users.values()].map(shown).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** @throws GatewayError `user_not_found` */
  get(name: string): User {
    return shown(this.#kept(name))
  }

  /**
   * What a user may do; undefined if there is none, it is disabled, or `stamp` is that of another password. Who asks
   * each time sees every change at once: it is another object then.
   */
  grantsOf(name: string, stamp: string): Grants | undefined {
    const kept = this.#users.get(name)
    return kept === undefined || kept.disabled || kept.hash !== stamp ? undefined : grantsOf(kept.grants)
  }

  /** The limits that a user was given; undefined: those of the configuration. */
  limitsOf(name: string): CallerLimits | undefined {
    return this.#users.get(name)?.limits
  }

  /** @throws GatewayError `user_exists`, `user_limit`, `field_invalid`, `overloaded`, `data_directory_unavailable` */
  async create({ name, grants, password, limits }: UserSpec, who: string): Promise<User> {
    checkGrants(grants)
    await checkNewPassword(password, name, 'password')
    this.#checkNew(name)
    const hash = await this.#passwords.hash(password)
    return this.#turns.take('', async () => {
      this.#checkNew(name)
      const kept: KeptUser = {
        name,
        grants,
        disabled: false,
        createdAt: new Date().toISOString(),
        who,
        hash,
        ...(limits !== undefined && { limits }),
      }
      await this.#save([...this.#users.values(), kept])
      return shown(kept)
    })
  }

  /** @throws GatewayError `user_not_found`, `field_invalid`, `overloaded`, `data_directory_unavailable` */
  async change(name: string, { grants, password, disabled, limits }: UserPatch): Promise<User> {
    this.#kept(name)
    if (grants !== undefined) checkGrants(grants)
    if (password !== undefined) await checkNewPassword(password, name, 'password')
    const hash = password === undefined ? undefined : await this.#passwords.hash(password)
    return this.#replace(name, (kept) => ({
      ...kept,
      grants: grants ?? kept.grants,
      disabled: disabled ?? kept.disabled,
      hash: hash ?? kept.hash,
      ...(limits !== undefined && { limits }),
    }))
  }

  /**
   * Changes the password of a user who knows the old one, which has this stamp. Returns the new stamp.
   *
   * @throws GatewayError `field_invalid`, `password_wrong`, `overloaded`, `data_directory_unavailable`
   */
  async changeOwn(name: string, stamp: string, password: string): Promise<string> {
    await checkNewPassword(password, name, 'newPassword')
    const hash = await this.#passwords.hash(password)
    await this.#replace(name, (kept) => {
      if (kept.hash !== stamp)
        throw new GatewayError('password_wrong', say('the password was changed meanwhile'), { field: 'password' })
      return { ...kept, hash }
    })
    return hash
  }

  /** @throws GatewayError `user_not_found`, `data_directory_unavailable` */
  remove(name: string): Promise<User> {
    return this.#turns.take('', async () => {
      const removed = this.#kept(name)
      await this.#save([...this.#users.values()].filter((kept) => kept !== removed))
      return shown(removed)
    })
  }

  /** Names the password of a user. Nobody outside sees it. */
  stamp(name: string): string | undefined {
    return this.#users.get(name)?.hash
  }

  /**
   * The stamp of a password, if it is that of a user who may sign in. Undefined takes as long.
   *
   * @throws GatewayError `overloaded`
   */
  async stampOf(name: string, password: string): Promise<string | undefined> {
    const hash = this.stamp(name)
    const right = await this.#passwords.isRight(hash, password)
    return right && hash !== undefined && this.grantsOf(name, hash) !== undefined ? hash : undefined
  }

  /** The second factor of a user; undefined: there is none. */
  factorOf(name: string): { since: string; recoveryCodesLeft: number } | undefined {
    const factor = this.#users.get(name)?.factor
    return factor && { since: factor.since, recoveryCodesLeft: factor.recovery.length }
  }

  /**
   * Uses a code up, if it is one of this user, who has the password of this stamp. Of requests that come together with
   * one code, one is let in. It is on the disk before anybody is.
   *
   * @throws GatewayError `data_directory_unavailable`
   */
  useCode(name: string, stamp: string, code: string): Promise<boolean> {
    return this.#turns.take('', async () => {
      const { afterCode } = await import('./second-factor.js')
      const before = this.#users.get(name)
      if (before === undefined || before.hash !== stamp) return false
      // It was removed meanwhile.
      if (before.factor === undefined) return true
      const factor = afterCode(before.factor, code, this.#now())
      if (factor === undefined) return false
      await this.#save([...this.#users.values()].map((kept) => (kept === before ? { ...before, factor } : kept)))
      return true
    })
  }

  /**
   * Sets a second factor, in place of the one of `before`. Of set-ups that end together, one holds.
   *
   * @throws GatewayError `user_not_found`, `second_factor_not_begun`, `data_directory_unavailable`
   */
  setFactor(name: string, factor: KeptFactor, before: string | undefined): Promise<User> {
    return this.#replace(name, (kept) => {
      if (kept.factor?.since !== before)
        throw new GatewayError('second_factor_not_begun', say('the second factor was changed meanwhile; begin again'))
      return { ...kept, factor }
    })
  }

  /** @throws GatewayError `user_not_found`, `second_factor_not_found`, `data_directory_unavailable` */
  removeFactor(name: string): Promise<User> {
    return this.#replace(name, ({ factor, ...kept }) => {
      if (factor === undefined) throw noFactor(name)
      return kept
    })
  }

  /** @throws GatewayError `user_not_found`, `second_factor_not_found` */
  needFactor(name: string): void {
    if (this.#kept(name).factor === undefined) throw noFactor(name)
  }

  /** Notes a sign-in. It holds also if it cannot be written. */
  signedIn(name: string): void {
    const now = new Date().toISOString()
    this.#replace(name, (kept) => ({ ...kept, lastSignInAt: now })).catch(this.#warn)
  }

  /** Waits until all is written. */
  close(): Promise<void> {
    return this.#turns.take('', () => Promise.resolve())
  }

  #replace(name: string, change: (kept: KeptUser) => KeptUser): Promise<User> {
    return this.#turns.take('', async () => {
      const before = this.#kept(name)
      const after = change(before)
      await this.#save([...this.#users.values()].map((kept) => (kept === before ? after : kept)))
      return shown(after)
    })
  }

  #kept(name: string): KeptUser {
    const found = this.#users.get(name)
    if (found === undefined)
      throw new GatewayError('user_not_found', say('there is no user "{name}"', { name: name.slice(0, 64) }), {
        field: 'name',
      })
    return found
  }

  /** Names that differ only in case would be taken for each other. */
  #checkNew(name: string): void {
    const same = [...this.#users.keys()].find((other) => other.toLowerCase() === name.toLowerCase())
    if (same !== undefined)
      throw new GatewayError('user_exists', say('there is a user "{name}"', { name: same }), { field: 'name' })
    if (this.#users.size >= MOST)
      throw new GatewayError(
        'user_limit',
        say('there are {most, number} users; remove one who is no longer needed', { most: MOST }),
      )
  }

  /** What cannot be written does not hold. */
  async #save(users: KeptUser[]): Promise<void> {
    await this.#file.save({ users })
    this.#users = byName(users)
  }
}

const byName = (users: readonly KeptUser[]): Map<string, KeptUser> => new Map(users.map((kept) => [kept.name, kept]))

function shown(kept: KeptUser): User {
  const { hash: _, factor, ...user } = kept
  return { ...user, ...(factor !== undefined && { secondFactorSince: factor.since }) }
}

const noFactor = (name: string): GatewayError =>
  new GatewayError('second_factor_not_found', say('the user {name} has no second factor', { name }))
