// Sessions of browsers. A session is a random secret in a cookie; only its hash is kept.
import { createHash, randomBytes } from 'node:crypto'
import { newId } from '../files/object-files.js'
import type { Grants } from './grants.js'

const SECRET_BYTES = 32
/** Most sessions of one user. One more ends the one that was used the longest ago. */
const PER_USER_MAX = 20
const AGENT_MAX = 200

/** A user, and the stamp of the password that let them in. */
export interface SignedIn {
  name: string
  stamp: string
}

/** Somebody whom a provider knows, with the grants of this sign-in. */
export interface ProvidedPerson {
  /** Never another person, at this provider. */
  subject: string
  name: string
  grants: Grants
  /** The session at the provider, if it tells. */
  sid: string | undefined
  /** Tells the provider who signs out there. */
  idToken?: string | undefined
}

export interface Session {
  id: string
  /** A user of this server. Without one, and without a person, it was begun with the administrator token. */
  user: SignedIn | undefined
  /** Somebody whom a provider has signed in. */
  person: ProvidedPerson | undefined
  /** Longest life, ms. */
  lifeMs: number
  /** When the person last proved who they are, ms. A provider may have asked them long before the session began. */
  signedInAtMs: number
  /** Begun by the server itself, for its own calls. No list shows it. */
  own: boolean
  createdAtMs: number
  usedAtMs: number
  /** Undefined: from a Unix socket. */
  address: string | undefined
  userAgent: string | undefined
  hash: string
}

export interface Credential {
  secret: string
  expiresAtMs: number
}

/** Who begins a session, and from where. */
export interface Beginner {
  user?: SignedIn | undefined
  person?: ProvidedPerson | undefined
  /** Longest life, ms. Unset: that of the settings. */
  lifeMs?: number | undefined
  /** When a provider asked who the person is, ms. Unset: now. */
  signedInAtMs?: number | undefined
  own?: boolean
  address: string | undefined
  userAgent?: string | undefined
}

/** A session of an earlier start. */
export type EarlierSession = Omit<Session, 'person' | 'lifeMs' | 'own' | 'signedInAtMs'>

/** `used`: nothing changed but the time of last use. */
export type SessionChange = 'begun' | 'used' | 'changed' | 'ended'

export class Sessions {
  readonly #idleMs: number
  readonly #lifeMs: number
  /** By hash, oldest first. */
  readonly #sessions = new Map<string, Session>()
  #tell: (change: SessionChange) => void = () => undefined

  constructor({ sessionIdleMs, sessionLifeMs }: { sessionIdleMs: number; sessionLifeMs: number }) {
    this.#idleMs = sessionIdleMs
    this.#lifeMs = sessionLifeMs
  }

  /** Calls `listener` after each change. There is one listener. */
  watch(listener: (change: SessionChange) => void): void {
    this.#tell = listener
  }

  /** Goes on with sessions of an earlier start, in any order. Settings are those of now. */
  restore(sessions: readonly EarlierSession[]): void {
    for (const session of sessions.toSorted((a, b) => a.createdAtMs - b.createdAtMs))
      this.#sessions.set(session.hash, {
        ...session,
        person: undefined,
        lifeMs: this.#lifeMs,
        signedInAtMs: session.createdAtMs,
        own: false,
      })
    this.#forget()
  }

  begin(beginner: Beginner): Credential {
    const nowMs = Date.now()
    const { user, person, own = false, lifeMs = this.#lifeMs, signedInAtMs = nowMs, address, userAgent } = beginner
    this.#forget()
    const others = [...this.#sessions.values()].filter((one) => isOfSame(one, { user, person }) && one.own === own)
    const unused = others.toSorted((a, b) => a.usedAtMs - b.usedAtMs)
    for (const one of unused.slice(0, Math.max(0, others.length + 1 - PER_USER_MAX))) this.end(one)
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    const session: Session = {
      id: newId(),
      user,
      person,
      lifeMs,
      signedInAtMs,
      own,
      createdAtMs: nowMs,
      usedAtMs: nowMs,
      address,
      userAgent: userAgent?.slice(0, AGENT_MAX),
      hash: hashOf(secret),
    }
    this.#sessions.set(session.hash, session)
    this.#tell('begun')
    return { secret, expiresAtMs: nowMs + lifeMs }
  }

  /** The session with this secret, if it has not ended. */
  find(secret: string): Session | undefined {
    const found = this.#sessions.get(hashOf(secret))
    return found === undefined || this.hasEnded(found) ? undefined : found
  }

  /** Newest first. */
  list(): Session[] {
    return [...this.#sessions.values()].filter((session) => !session.own && !this.hasEnded(session)).reverse()
  }

  /** Notes that somebody uses it now. */
  use(session: Session): void {
    session.usedAtMs = Date.now()
    this.#tell('used')
  }

  /** The user has another password, and this session goes on with it. */
  renew(session: Session, user: SignedIn): void {
    session.user = user
    this.#tell('changed')
  }

  hasEnded(session: Session): boolean {
    return this.#sessions.get(session.hash) !== session || this.endMs(session) <= Date.now()
  }

  /** When it ends if nobody uses it again. */
  endMs({ createdAtMs, usedAtMs, lifeMs, own }: Session): number {
    const lastMs = createdAtMs + lifeMs
    return own ? lastMs : Math.min(lastMs, usedAtMs + this.#idleMs)
  }

  end(session: Session): void {
    this.#sessions.delete(session.hash)
    this.#tell('ended')
  }

  /** Ends all sessions of a user but `except`. */
  endOf(user: string, except?: Session): void {
    for (const session of this.#sessions.values())
      if (session.user?.name === user && session !== except) this.end(session)
  }

  /**
   * Ends the sessions of a person whom a provider has signed out, or those of one session there. Returns those that ended.
   * A session of the person that the provider gave no `sid` ends in any case.
   */
  endOfPerson({ subject, sid }: { subject?: string; sid?: string }): Session[] {
    const ended = [...this.#sessions.values()].filter(({ person }) => {
      if (person === undefined || (subject !== undefined && person.subject !== subject)) return false
      return sid === undefined || person.sid === sid || (person.sid === undefined && subject !== undefined)
    })
    for (const session of ended) this.end(session)
    return ended
  }

  #forget(): void {
    for (const session of this.#sessions.values()) if (this.hasEnded(session)) this.end(session)
  }
}

type Owned = Pick<Session, 'user' | 'person'>

/** Whether two sessions are of the same user, of the same person, or both of the administrator token. */
export const isOfSame = (one: Owned, other: Owned): boolean =>
  one.user?.name === other.user?.name && one.person?.subject === other.person?.subject

/** Undefined: the administrator token. */
export const nameOfOwner = ({ user, person }: Owned): string | undefined => user?.name ?? person?.name

/** How it began. */
export function wayOf({ user, person }: Owned): 'password' | 'token' | 'provider' {
  if (user !== undefined) return 'password'
  return person === undefined ? 'token' : 'provider'
}

/** 256 random bits need no slow hash. */
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64')
