// Long answers share the event loop: together they send so many bytes in one turn of it, so that no short answer waits behind all of them.

/** What long answers send together in one turn; a last piece may go beyond it. */
export const TURN_BYTES = 1024 * 1024

export class Pace {
  #spent = 0
  #turning = false
  readonly #waiting: { bytes: number; resolve: () => void }[] = []

  /** To be waited for before so many bytes are sent. Nothing to wait for: undefined. */
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
    // Sockets are looked at before each immediate.
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
