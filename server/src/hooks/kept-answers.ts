// First answers of idempotent requests, kept in memory for a while to repeat them. A restart forgets them.

/** How long an answer is kept after its request. */
export const ANSWER_LIFE_MS = 24 * 60 * 60_000
export const ANSWERS_MAX = 10_000
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024

export interface Answer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

export interface Asked {
  /** The namespace that the request was about, if there was one. */
  readonly of: { name: string; id: string } | undefined
  /** Fingerprint of the request. */
  readonly print: string
  readonly endsAtMs: number
  /** Unset while the first request runs. */
  answer?: Answer
}

/** Answers by key. Beyond the limits the oldest are forgotten first, but never a running request. */
export class Answers {
  readonly #asked = new Map<string, Asked>()
  #bytes = 0

  find(key: string, nowMs = Date.now()): Asked | undefined {
    this.#prune(nowMs)
    return this.#asked.get(key)
  }

  /** Notes a running request. */
  begin(key: string, print: string, of?: Asked['of'], nowMs = Date.now()): void {
    this.#asked.set(key, { print, of, endsAtMs: nowMs + ANSWER_LIFE_MS })
  }

  keep(key: string, answer: Answer, nowMs = Date.now()): void {
    const asked = this.#asked.get(key)
    if (asked === undefined) return
    asked.answer = answer
    this.#bytes += answer.body.length
    this.#prune(nowMs)
  }

  forget(key: string): void {
    this.#bytes -= this.#asked.get(key)?.answer?.body.length ?? 0
    this.#asked.delete(key)
  }

  /** Oldest first, the order of a Map. */
  #prune(nowMs: number): void {
    for (const [key, { endsAtMs, answer }] of this.#asked) {
      const full = this.#asked.size > ANSWERS_MAX || this.#bytes > ANSWER_BYTES_MAX
      if (!full && endsAtMs > nowMs) return
      if (answer !== undefined) this.forget(key)
    }
  }
}
