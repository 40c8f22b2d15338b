// Refusals that are held back for a moment. A client that waits for its answer sends nothing more on that connection. So an
// overload costs a bounded number of refusals, however fast its callers ask again.

/** A refusal is held for so many measurements. */
export const HELD_TICKS = 10
/** From then on, a refusal goes out at a measurement for so many requests that were served since the last one. */
export const SERVED_A_REFUSAL = 10
/** Some go out even if little is served. */
export const REFUSALS_LEAST = 4
/** If there is time for more, so many do. */
export const REFUSALS_IN_TIME = 500
/** What has been held for so long goes out in any case. */
export const HELD_TICKS_MAX = 400

/** Sends a refusal, and tells how many requests are known to be refused with it. */
type Refuse = () => number

export class HeldRefusals {
  /** Oldest first. */
  #queue: { refuse: Refuse; since: number }[] = []
  /** How many of the queue have gone out. */
  #gone = 0
  #now = 0
  /** Refusals that went out beyond those that were known. */
  #ahead = 0
  #open = true

  /** Refusals that are held. */
  get count(): number {
    return this.#queue.length - this.#gone
  }

  hold(refuse: Refuse): void {
    if (this.#open) this.#queue.push({ refuse, since: this.#now })
    else refuse()
  }

  /** Counts a refusal that was not held. */
  sent(): void {
    this.#ahead += 1
  }

  /** To be called at each measurement. `inTime`: the event loop is not busy; `served`: requests since the last one. */
  tick(inTime: boolean, served: number): void {
    this.#now += 1
    const busy = Math.max(REFUSALS_LEAST, Math.floor(served / SERVED_A_REFUSAL))
    let left = (inTime ? REFUSALS_IN_TIME : busy) - this.#ahead
    this.#ahead = Math.max(0, -left)
    for (let next = this.#queue[this.#gone]; next !== undefined; next = this.#queue[this.#gone]) {
      const ticks = this.#now - next.since
      if (ticks < HELD_TICKS || (left <= 0 && ticks < HELD_TICKS_MAX)) break
      this.#gone += 1
      const refused = next.refuse()
      left -= refused
      // Those behind it are counted when they go out, too.
      this.#ahead -= refused - 1
    }
    // What has gone out is dropped once it is half of the queue.
    if (this.#gone * 2 < this.#queue.length) return
    this.#queue = this.#queue.slice(this.#gone)
    this.#gone = 0
  }

  /** Sends all of them, and holds none from now on. */
  close(): void {
    this.#open = false
    const rest = this.#queue.slice(this.#gone)
    this.#queue = []
    this.#gone = 0
    for (const { refuse } of rest) refuse()
  }
}
