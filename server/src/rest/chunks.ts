// A body read piece by piece, with an end to patience and a way to stop waiting.
import type { Readable } from 'node:stream'
import { GatewayError } from '../errors.js'

export class Chunks {
  readonly #chunks: AsyncIterator<Buffer, undefined>
  readonly #idleMs: number
  #stopped: { reason: unknown } | undefined
  #refuse: ((reason: unknown) => void) | undefined

  constructor(body: Readable, idleMs: number) {
    // A failure must leave the socket open for its answer.
    this.#chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>
    this.#idleMs = idleMs
  }

  /**
   * The next piece, or null at the end. Only the wait for the client is bounded: what its caller does between
   * two calls takes as long as it takes.
   *
   * @throws `body_timeout`, or what `stop` was given
   */
  next(): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      if (this.#stopped !== undefined) return reject(this.#stopped.reason)
      const late = () => reject(new GatewayError('body_timeout', `nothing came for ${this.#idleMs} ms`))
      const timer = setTimeout(late, this.#idleMs)
      const settle = (act: () => void) => {
        clearTimeout(timer)
        this.#refuse = undefined
        act()
      }
      this.#refuse = (reason) => settle(() => reject(reason))
      this.#chunks.next().then(
        (chunk) => settle(() => resolve(chunk.done === true ? null : chunk.value)),
        (error: unknown) => settle(() => reject(error)),
      )
    })
  }

  /** Ends the wait that is under way, and all later ones. */
  stop(reason: unknown): void {
    this.#stopped = { reason }
    this.#refuse?.(reason)
  }
}
