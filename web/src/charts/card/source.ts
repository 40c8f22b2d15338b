import { useEffect, useState } from 'react'
import type { ChartSpec } from '../spec/spec'

/** A chart whose data changes by itself. A change draws, and renders only what shows numbers. */
export interface ChartSource {
  /** The same object until the next change. */
  read: () => ChartSpec
  subscribe: (listener: () => void) => () => void
}

class Given implements ChartSource {
  #spec: ChartSpec
  readonly #listeners = new Set<() => void>()

  constructor(spec: ChartSpec) {
    this.#spec = spec
  }

  readonly read = (): ChartSpec => this.#spec

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  give(spec: ChartSpec): void {
    if (spec === this.#spec) return
    this.#spec = spec
    for (const listener of this.#listeners) listener()
  }
}

const isSource = (of: ChartSpec | ChartSource): of is ChartSource => 'read' in of

/** Plain data as a source. */
export function useSource(of: ChartSpec | ChartSource): ChartSource {
  const [given] = useState(() => (isSource(of) ? undefined : new Given(of)))
  useEffect(() => {
    if (!isSource(of)) given?.give(of)
  }, [given, of])
  return isSource(of) || given === undefined ? (of as ChartSource) : given
}
