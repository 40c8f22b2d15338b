// Open connections in a ring, to find one that can go: a clock that gives each a second chance.
import type { Socket } from 'node:net'
import { isIdle } from './answering.js'
import type { Unsent } from './unsent.js'

/** Connections that are looked at to find one. */
const TRIES = 64

export interface Connection {
  /** With TLS, the raw one until the handshake is done. */
  socket: Socket
  /** Of its client; undefined: it does not count for any. */
  readonly network: string | undefined
  /** Bytes that it had received when it was last looked at. */
  seen: number
  /** What waited on it then; undefined: nothing. */
  unsent?: Unsent | undefined
}

export class Ring {
  /** The one that was looked at the longest ago comes first. */
  readonly #open = new Set<Connection>()

  get size(): number {
    return this.#open.size
  }

  /** All of them. */
  [Symbol.iterator](): IterableIterator<Connection> {
    return this.#open.values()
  }

  add(connection: Connection): void {
    this.#open.add(connection)
  }

  has(connection: Connection): boolean {
    return this.#open.has(connection)
  }

  /** Whether it was there. */
  delete(connection: Connection): boolean {
    return this.#open.delete(connection)
  }

  /** One that can go, if possible one that has sent nothing since the last look. */
  idle(): Connection | undefined {
    let found: Connection | undefined
    let tries = Math.min(TRIES, this.#open.size)
    for (const connection of this.#open) {
      if (tries === 0) break
      tries -= 1
      this.#open.delete(connection)
      this.#open.add(connection)
      const { socket, seen } = connection
      if (!isIdle(socket)) continue
      if (socket.bytesRead === seen) return connection
      connection.seen = socket.bytesRead
      found ??= connection
    }
    return found
  }
}
