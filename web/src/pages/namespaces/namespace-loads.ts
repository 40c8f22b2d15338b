import { connection } from '../../live/connection'
import type { Frame } from '../../live/frame'
import { addSeries, emptyTotals, type Totals } from '../../live/latency/totals'

/** Engine-side operations of the newest second by namespace. Frames are added up while somebody listens. */
export class NamespaceLoads {
  #loads = new Map<string, Totals>()
  readonly #listeners = new Set<() => void>()
  #stop: (() => void) | undefined

  of(namespace: string): Totals | undefined {
    return this.#loads.get(namespace)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    this.#stop ??= connection.onFrame((frame) => this.#add(frame))
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  #add({ latency }: Frame): void {
    const next = new Map<string, Totals>()
    for (const series of latency) {
      if (series.side !== 'engine') continue
      const totals = next.get(series.namespace) ?? emptyTotals()
      addSeries(totals, series)
      next.set(series.namespace, totals)
    }
    this.#loads = next
    for (const listener of this.#listeners) listener()
  }
}
