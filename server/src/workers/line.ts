// Calls between the main thread and a worker: each side has functions that the other one calls by name.

/** What a port of `node:worker_threads` has. */
export interface Port {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

type Call = (asked: never) => unknown
export type Calls<Names> = { readonly [Name in keyof Names]: Call }

type Asked<F> = F extends (asked: infer A) => unknown ? A : never
type Answered<F> = F extends (asked: never) => infer R ? Awaited<R> : never

type Message =
  | { call: string; asked: unknown; id?: number }
  | { answers: number; answer: unknown }
  | { answers: number; failed: string }

/** `Theirs`: what the other side can do. */
export class Line<Theirs extends Calls<Theirs>> {
  readonly #port: Port
  readonly #open = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>()
  #ended = false
  #calls = 0

  constructor(port: Port) {
    this.#port = port
  }

  /** From now on, the other side is heard; until then, what it says waits. `mine`: what it can call. */
  hear(mine: Readonly<Record<string, Call>>): void {
    this.#port.on('message', (message) => this.#take(message as Message, mine))
  }

  /** Calls, and does not wait for an answer. */
  tell<Name extends keyof Theirs & string>(call: Name, asked: Asked<Theirs[Name]>): void {
    this.#post({ call, asked })
  }

  /** @throws Error if the other side failed, or has ended */
  ask<Name extends keyof Theirs & string>(call: Name, asked: Asked<Theirs[Name]>): Promise<Answered<Theirs[Name]>> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(gone())
      this.#calls += 1
      this.#open.set(this.#calls, { resolve: (answer) => resolve(answer as Answered<Theirs[Name]>), reject })
      this.#post({ call, asked, id: this.#calls })
    })
  }

  /** The other side has ended: nobody answers any more. */
  end(): void {
    this.#ended = true
    for (const { reject } of this.#open.values()) reject(gone())
    this.#open.clear()
  }

  #post(message: Message): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of Node has no origin
    this.#port.postMessage(message)
  }

  #take(message: Message, mine: Readonly<Record<string, Call>>): void {
    if ('answers' in message) {
      const asked = this.#open.get(message.answers)
      this.#open.delete(message.answers)
      if ('failed' in message) asked?.reject(new Error(message.failed))
      else asked?.resolve(message.answer)
      return
    }
    const { call, asked, id } = message
    const answer = mine[call]?.(asked as never)
    if (id !== undefined) void this.#answer(id, answer)
  }

  async #answer(answers: number, answer: unknown): Promise<void> {
    try {
      this.#post({ answers, answer: await answer })
    } catch (error) {
      this.#post({ answers, failed: String(error) })
    }
  }
}

const gone = (): Error => new Error('the thread has ended')
