// Reads a body in pieces, with a timeout and a way to stop waiting.
import type { Readable } from 'node:stream'
import { GatewayError } from '../errors.js'
import { say } from '../sentences/sentence.js'

export class Chunks {
  readonly #chunks: AsyncIterator<Buffer, undefined>
  readonly #idleMs: number
  #stopped: { reason: unknown } | undefined
  #refuse: ((reason: unknown) => void) | undefined

  constructor(body: Readable, idleMs: number) {
    // After a failure, the socket must stay open for the answer.
    this.#chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>
    this.#idleMs = idleMs
  }

  /**
   * The next piece, or null at the end. The timeout covers only the wait for the client, not the work of the
   * caller between two calls.
   *
   * @throws `body_timeout`, or what `stop` was given
   */
  next(): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      if (this.#stopped !== undefined) return reject(this.#stopped.reason)
      const late = () =>
        reject(new GatewayError('body_timeout', say('no data arrived for {idleMs} ms', { idleMs: this.#idleMs })))
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

  /** Ends the current wait and all later ones. */
  stop(reason: unknown): void {
    this.#stopped = { reason }
    this.#refuse?.(reason)
  }
}
