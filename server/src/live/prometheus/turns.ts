// Long work in steps, with turns of the event loop in between, so that it keeps no other request waiting.

/** A sample of a histogram has 14 lines, and takes about 10 us. */
export const STEPS_A_TURN = 64

/** Work that stops after each step, and returns its result at the end. */
export type Steps<T> = Generator<undefined, T>

/** Does some steps of `work` in each turn of the event loop. */
export async function inTurns<T>(work: Steps<T>): Promise<T> {
  for (;;) {
    for (let steps = 0; steps < STEPS_A_TURN; steps += 1) {
      const step = work.next()
      if (step.done === true) return step.value
    }
    // The loop polls sockets before each immediate.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Does all of `work` now. */
export function atOnce<T>(work: Steps<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/** Work that is asked for while it is under way is done once for all who ask. */
export class Shared<T> {
  readonly #underWay = new Map<string, Promise<T>>()

  get(key: string, make: () => Promise<T>): Promise<T> {
    const found = this.#underWay.get(key)
    if (found !== undefined) return found
    const made = make().finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, made)
    return made
  }
}
