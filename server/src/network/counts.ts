// Counts by name, such as the connections of a network. Threads of one server share theirs.

export interface Counts {
  /** Counts one more, unless there are `most`: then it answers false. */
  enter(name: string, most: number): boolean
  leave(name: string): void
  count(name: string): number
}

export class LocalCounts implements Counts {
  /** A name that counts nothing is not in it. */
  readonly #counts = new Map<string, number>()

  enter(name: string, most: number): boolean {
    const count = this.count(name)
    if (count >= most) return false
    this.#counts.set(name, count + 1)
    return true
  }

  leave(name: string): void {
    const count = this.count(name)
    if (count > 1) this.#counts.set(name, count - 1)
    else this.#counts.delete(name)
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }
}
