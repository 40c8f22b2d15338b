// What may come in floods: the first of its kind is an entry at once, and the others of each minute are one with their number.
import type { Facts } from './line.js'

const MINUTE_MS = 60_000
/** Kinds that are told apart; more of them are counted together. */
const KEYS_MAX = 1000

interface Counted {
  /** Those since the last entry. */
  count: number
  facts: Facts
  since: string
}

export class Floods {
  readonly #note: (facts: Facts) => Promise<unknown>
  readonly #counted = new Map<string, Counted>()
  #tick: NodeJS.Timeout | undefined

  constructor(note: (facts: Facts) => Promise<unknown>) {
    this.#note = note
  }

  /** Resolves when the first of its kind is on the disk; at once for others. */
  async add(key: string, facts: Facts): Promise<void> {
    const known = this.#counted.get(key) ?? this.#others()
    if (known !== undefined) {
      if (known.count === 0) known.since = new Date().toISOString()
      known.count += 1
      // The last of them stands for all.
      known.facts = this.#counted.get(key) === undefined ? { operation: facts['operation'], who: 'many' } : facts
      return
    }
    this.#counted.set(key, { count: 0, facts, since: '' })
    this.#tick ??= setInterval(() => this.flush(), MINUTE_MS).unref()
    await this.#note(facts)
  }

  /** Writes what was counted. What did not come again is forgotten. */
  flush(): void {
    for (const [key, counted] of this.#counted) {
      const { count, facts, since } = counted
      if (count === 0) this.#counted.delete(key)
      else void this.#note({ ...facts, count, since })
      counted.count = 0
    }
    if (this.#counted.size > 0) return
    clearInterval(this.#tick)
    this.#tick = undefined
  }

  close(): void {
    this.flush()
    clearInterval(this.#tick)
  }

  /** If there are too many kinds, one for all new ones. */
  #others(): Counted | undefined {
    if (this.#counted.size < KEYS_MAX) return undefined
    const others = this.#counted.get('') ?? { count: 0, facts: {}, since: '' }
    this.#counted.set('', others)
    return others
  }
}
