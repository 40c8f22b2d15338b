// Long answers share the event loop: together they send a limited number of bytes per turn, so
// short answers do not wait.

/** Bytes that long answers send together in one turn; the last piece may exceed it. */
export const TURN_BYTES = 1024 * 1024

export class Pace {
  #spent = 0
  #turning = false
  readonly #waiting: { bytes: number; resolve: () => void }[] = []

  /** Wait for this before you send `bytes`. Undefined if there is nothing to wait for. */
  take(bytes: number): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#spent < TURN_BYTES) {
      this.#spend(bytes)
      return undefined
    }
    return new Promise((resolve) => this.#waiting.push({ bytes, resolve }))
  }

  #spend(bytes: number): void {
    this.#spent += bytes
    if (this.#turning) return
    this.#turning = true
    // The loop polls sockets before each immediate.
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#turning = false
    this.#spent = 0
    while (this.#spent < TURN_BYTES) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#spend(next.bytes)
      next.resolve()
    }
  }
}
