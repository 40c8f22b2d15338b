import type { NativeStore } from '#addon'
import { StoreError } from './errors.js'

interface Series {
  namespace: string
  op: number
  ok: boolean
  nanos: number[]
}

/** Latencies on their way to the addon: those of one turn of the event loop cross together. */
export class LatencyBatch {
  readonly #native: NativeStore
  readonly #series = new Map<string, Series>()

  constructor(native: NativeStore) {
    this.#native = native
  }

  add(namespace: string, op: number, ok: boolean, nanos: number): void {
    // Refused here: when the batch crosses, nobody is left to tell.
    if (typeof namespace !== 'string' || op < 0 || typeof ok !== 'boolean' || typeof nanos !== 'number') {
      const message = 'a latency has the name of a namespace, an operation, nanoseconds and whether it went well'
      throw new StoreError({ code: 'config_invalid', message, retryable: false })
    }
    if (this.#series.size === 0) setImmediate(this.#flush)
    const name = `${op}${ok ? '+' : '-'}${namespace}`
    const series = this.#series.get(name)
    if (series === undefined) this.#series.set(name, { namespace, op, ok, nanos: [nanos] })
    else series.nanos.push(nanos)
  }

  readonly #flush = (): void => {
    for (const { namespace, op, ok, nanos } of this.#series.values()) {
      this.#native.recordLatencies(namespace, op, ok, Float64Array.from(nanos))
    }
    this.#series.clear()
  }
}
