// Work on the same thing, one at a time: what was checked still holds when it is acted on.

export class Turns {
  readonly #tails = new Map<string, Promise<unknown>>()

  /** Runs `work` after all earlier work on `key` has ended, well or not. */
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
