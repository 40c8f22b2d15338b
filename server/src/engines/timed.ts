// The engine for one request: it forwards calls and sums up their time, for Server-Timing.
import type { Engine } from './engine.js'

export interface CoreClock {
  coreMs: number
  /** Unset: the request is not traced. */
  trace?: CallTrace | undefined
}

export interface CallTrace {
  /** Makes the call. What it answers or throws passes through. */
  around: (name: string, call: () => unknown) => unknown
}

type Method = (...args: unknown[]) => unknown

/**
 * Creates a factory of views of `engine`, whose methods are its own properties. They are wired once, so a view costs one
 * small object.
 */
export function timedViews(engine: Engine): (clock: CoreClock) => Engine {
  const methods = engine as unknown as Record<string, Method>
  class View {
    readonly kind = engine.kind
    readonly #clock: CoreClock

    constructor(clock: CoreClock) {
      this.#clock = clock
    }

    call(name: string, args: unknown[]): unknown {
      const { trace } = this.#clock
      return trace === undefined ? this.#timed(name, args) : trace.around(name, () => this.#timed(name, args))
    }

    #timed(name: string, args: unknown[]): unknown {
      const start = performance.now()
      const result = methods[name]?.(...args)
      if (result instanceof Promise) return result.finally(() => this.#add(start))
      this.#add(start)
      return result
    }

    #add(start: number): void {
      this.#clock.coreMs += performance.now() - start
    }
  }

  for (const name of Object.keys(engine).filter((member) => member !== 'kind')) {
    Object.defineProperty(View.prototype, name, {
      value(this: View, ...args: unknown[]) {
        return this.call(name, args)
      },
    })
  }
  return (clock) => new View(clock) as unknown as Engine
}
