// Counts wrong guesses by key, and says how long the next one has to wait. What it remembers is bounded, and nobody can
// make it forget: while all its places are taken, further keys share a few.
import { createHash } from 'node:crypto'

/** Wrong guesses that wait for nothing. */
const FREE = 10
/** The wait after those, doubled with each wrong guess. */
const FIRST_MS = 1000
const LONGEST_MS = 60_000
/** A key is forgotten so long after its last wrong guess. */
const FORGOTTEN_MS = 15 * 60_000
const KEYS_MAX = 10_000
const SHARED = 256

interface Count {
  wrong: number
  /** Of the last guess. The time since the process began, so a clock that is set does not matter. */
  atMs: number
}

export class Throttle {
  /** The key with the oldest guess first. */
  readonly #counts = new Map<string, Count>()
  readonly #shared = new Map<number, Count>()

  /** Milliseconds until the next guess may be looked at; 0: now. */
  waitMs(key: string): number {
    if (this.#counts.size === 0) return 0
    const count = this.#find(key)
    return count === undefined ? 0 : Math.max(0, count.atMs + pauseAfter(count.wrong) - performance.now())
  }

  /** Counts a guess as wrong, before it is looked at: those that come together are counted together. */
  begin(key: string): void {
    const count = this.#find(key) ?? { wrong: 0, atMs: 0 }
    count.wrong += 1
    count.atMs = performance.now()
    // A key that has its own place keeps it, and moves to the end.
    if (this.#counts.delete(key) || this.#counts.size < KEYS_MAX) this.#counts.set(key, count)
    else this.#shared.set(placeOf(key), count)
  }

  /** Takes a guess back that was right, or was not looked at. */
  takeBack(key: string): void {
    const count = this.#find(key)
    if (count !== undefined) count.wrong = Math.max(0, count.wrong - 1)
  }

  /** Keys that have a place of their own. */
  get size(): number {
    return this.#counts.size
  }

  #find(key: string): Count | undefined {
    this.#forget()
    const own = this.#counts.get(key)
    if (own !== undefined || this.#counts.size < KEYS_MAX) return own
    const shared = this.#shared.get(placeOf(key))
    return shared === undefined || isOld(shared) ? undefined : shared
  }

  #forget(): void {
    for (const [key, count] of this.#counts) {
      if (!isOld(count)) return
      this.#counts.delete(key)
    }
  }
}

const isOld = ({ atMs }: Count): boolean => performance.now() - atMs >= FORGOTTEN_MS

const pauseAfter = (wrong: number): number => (wrong < FREE ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (wrong - FREE)))

const placeOf = (key: string): number => createHash('sha256').update(key).digest().readUInt32LE() % SHARED
