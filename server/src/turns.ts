// Serialises work on the same key, so that checks still hold when the work acts on them.

export class Turns {
  readonly #tails = new Map<string, Promise<unknown>>()

  /** Runs `work` after all earlier work on `key` has ended, successfully or not. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    this.#tails.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#tails.get(key) === mine) this.#tails.delete(key)
    }
  }
}
