// Answers that their clients have not read yet: what all of them hold together is bounded. Streams have a bound of their own.
import type { ServerResponse } from 'node:http'
import type { Config } from '../config.js'
import { StreamSocket } from '../network/http2/stream-socket.js'
import { leftIn } from '../network/unsent.js'
import type { GatewayUse } from '../schemas/server/gateway.js'

/** The operating system takes a smaller answer at once, whether its client reads or not. */
export const COUNTED_BYTES = 16 * 1024
/** How often the gateway looks who reads. */
const LOOK_MS = 500
/** If others need the room, a client that has read nothing for so long loses its connection. */
export const STALLED_MS = 1000

interface Unread {
  readonly response: ServerResponse
  readonly bytes: number
  /** What the operating system had not taken at the last look. */
  left: number
  readAtMs: number
}

type Limits = Pick<Config, 'unreadBytesMax' | 'readerPatienceMs'>

export class UnreadAnswers {
  readonly #limits: Limits
  /** Oldest first. */
  readonly #open = new Set<Unread>()
  /** Those whose clients do not read, as of the last look; the longest one last. */
  #stalled: Unread[] = []
  #bytes = 0
  #refused = 0
  #closed = 0
  #looks: NodeJS.Timeout | undefined

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Begins to look who reads. */
  open(): void {
    this.#looks = setInterval(() => this.look(performance.now()), LOOK_MS).unref()
  }

  close(): void {
    clearInterval(this.#looks)
  }

  /**
   * Counts an answer until it is read, if there is room for it. Clients that do not read make room. If there is still none:
   * with `must`, the oldest answers make room; otherwise it is refused.
   */
  admit(response: ServerResponse, bytes: number, must: boolean): boolean {
    while (this.#open.size > 0 && this.#bytes + bytes > this.#limits.unreadBytesMax) {
      const other = this.#nextStalled() ?? (must ? this.#oldest() : undefined)
      if (other === undefined) {
        this.#refused += 1
        return false
      }
      this.#end(other)
    }
    // Its client may be gone.
    if (response.destroyed) return true
    const unread = { response, bytes, left: 0, readAtMs: performance.now() }
    this.#open.add(unread)
    this.#bytes += bytes
    response.once('close', () => this.#forget(unread))
    return true
  }

  /** Once in a while: notes who has read since the last look, and ends what nobody reads. */
  look(nowMs: number): void {
    const { readerPatienceMs } = this.#limits
    const stalled: Unread[] = []
    for (const unread of this.#open) {
      const left = leftOf(unread.response)
      // With nothing left, the gateway does not wait for the client.
      if (left === 0 || left !== unread.left) Object.assign(unread, { left, readAtMs: nowMs })
      const idleMs = nowMs - unread.readAtMs
      if (readerPatienceMs > 0 && idleMs >= readerPatienceMs) this.#end(unread)
      else if (idleMs >= STALLED_MS) stalled.push(unread)
    }
    this.#stalled = stalled.sort((a, b) => b.readAtMs - a.readAtMs)
  }

  figures(): GatewayUse['unread'] {
    return { answers: this.#open.size, heldBytes: this.#bytes, refused: this.#refused, closed: this.#closed }
  }

  #nextStalled(): Unread | undefined {
    for (let next = this.#stalled.pop(); next !== undefined; next = this.#stalled.pop()) {
      // It may have read since the last look, or be gone.
      if (this.#open.has(next) && leftOf(next.response) === next.left) return next
    }
    return undefined
  }

  #oldest(): Unread | undefined {
    const [oldest] = this.#open
    return oldest
  }

  #end(unread: Unread): void {
    this.#closed += 1
    this.#forget(unread)
    unread.response.destroy()
  }

  #forget(unread: Unread): void {
    if (this.#open.delete(unread)) this.#bytes -= unread.bytes
  }
}

/** What the operating system has not taken of an answer. */
export function leftOf({ socket }: Pick<ServerResponse, 'socket'>): number {
  if (socket === null) return 0
  return socket instanceof StreamSocket ? socket.unsent : leftIn(socket)
}
