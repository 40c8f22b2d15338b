// What the main thread and its workers ask of each other.
import type { IncomingMessage } from 'node:http'
import type { TokenOwner } from '../auth/callers.js'
import type { AddedCounts } from '../live/added.js'
import type { Config } from '../config.js'
import type { Inside } from './inside.js'
import type { GatewayUse } from '../schemas/server/gateway.js'

/** What a worker needs to begin. */
export interface Start {
  config: Config
  /** By which it attaches to the engine, the sockets and the counts. */
  handle: number
  /** Its place among the workers, from 0. */
  place: number
  inside: Inside
  /** Of the API tokens: another number means that one has changed. */
  revision: Int32Array
}

/** What a worker says of itself, once a second. Times are Unix milliseconds. */
export interface WorkerFigures extends Pick<
  GatewayUse,
  'loopDelay' | 'refusedShare' | 'refusedRequests' | 'connections' | 'unread'
> {
  lateSinceMs: number | undefined
  sheddingSinceMs: number | undefined
  /** What the gateway has added to requests since the start. */
  added: AddedCounts
}

/** The workers, as the rest of the main thread has them. */
export interface Workers {
  figures(): WorkerFigures
  /** After a reload. */
  configure(config: Config): void
  renewTls(): void
}

/** In a worker: who is known to have the token of a request that it answers. */
export interface KnownOwners {
  ownerOf(request: IncomingMessage): TokenOwner | undefined
}

/** Who has a token, if a worker may serve them, and the revision of the tokens that says so. */
export interface OwnerAnswer {
  owner: TokenOwner | undefined
  revision: number
}

export interface CallsOfMain {
  owner: (asked: { address: string | undefined; token: string }) => OwnerAnswer
  /** Whether another worker has closed a connection of this network. */
  makeRoom: (network: string) => Promise<boolean>
  log: (line: string) => void
  figures: (figures: WorkerFigures) => void
  listening: (none: undefined) => void
}

export interface CallsOfWorker {
  makeRoom: (network: string) => boolean
  configure: (config: Config) => void
  renewTls: (none: undefined) => void
  /** From now on, answers close their connections. */
  stopSoon: (none: undefined) => void
  /** It answers what is under way, and ends. */
  close: (none: undefined) => void
}
