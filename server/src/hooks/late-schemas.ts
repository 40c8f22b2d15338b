// Schemas become functions when a request needs them first, or one by one once the server listens: to compile all of them
// takes half of a start.

/** Between two of them, requests are answered. */
const PAUSE_MS = 10

export class LateSchemas {
  #waiting: (() => unknown)[] = []
  #next: NodeJS.Timeout | undefined

  /** Returns what makes it once, and then has it. */
  later<Made>(make: () => Made): () => Made {
    let made: Made | undefined
    const get = (): Made => (made ??= make())
    this.#waiting.push(get)
    return get
  }

  /** Makes one after the other, until all are there. */
  open(): void {
    this.#next = setTimeout(() => {
      this.#waiting.pop()?.()
      if (this.#waiting.length > 0) this.open()
    }, PAUSE_MS).unref()
  }

  close(): void {
    clearTimeout(this.#next)
  }

  /** Makes all at once. */
  all(): void {
    for (const make of this.#waiting.splice(0)) make()
  }
}
