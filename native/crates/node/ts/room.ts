import type { NativeRoom } from '#addon'
import { call } from './errors.js'

/** What a request holds for its body, out of what all requests may hold together. */
export class Room {
  readonly #native: NativeRoom

  constructor(native: NativeRoom) {
    this.#native = native
  }

  /**
   * Asks for so many bytes more. True: it has them. False: it is in the queue; ask again in a while.
   *
   * @throws StoreError `memory_busy`
   */
  take(bytes: number): boolean {
    return call(() => this.#native.take(bytes))
  }

  /** Gives all of it back. */
  give(): void {
    this.#native.give()
  }
}
