// How long the current turn of the event loop has been handling requests.

export class Turn {
  #began: number | undefined

  /** Milliseconds since the first call in this turn. */
  ageMs(): number {
    const now = performance.now()
    if (this.#began === undefined) {
      this.#began = now
      // Immediates run once all sockets that were ready have been read.
      setImmediate(() => (this.#began = undefined))
    }
    return now - this.#began
  }
}
