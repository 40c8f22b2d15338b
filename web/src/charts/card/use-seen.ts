import { useEffect, useMemo, type RefObject } from 'react'
import { isPaper } from '../paper'
import type { ChartSource } from './source'

/** A source that tells of changes only while its chart is in view: what nobody sees is not made. */
class SeenSource implements ChartSource {
  #isSeen = false
  readonly #listeners = new Set<() => void>()

  constructor(private readonly inner: ChartSource) {}

  readonly read = (): ReturnType<ChartSource['read']> => this.inner.read()

  readonly subscribe = (listener: () => void): (() => void) => {
    const stop = this.inner.subscribe(() => {
      if (this.#isSeen || isPaper()) listener()
    })
    this.#listeners.add(listener)
    return () => {
      stop()
      this.#listeners.delete(listener)
    }
  }

  /** A chart that comes into view catches up. */
  see(isSeen: boolean): void {
    if (isSeen === this.#isSeen) return
    this.#isSeen = isSeen
    if (isSeen) for (const listener of this.#listeners) listener()
  }
}

export function useSeen(source: ChartSource, element: RefObject<Element | null>): ChartSource {
  const seen = useMemo(() => new SeenSource(source), [source])
  useEffect(() => {
    if (element.current === null) return
    const observer = new IntersectionObserver((entries) => seen.see(entries.at(-1)?.isIntersecting ?? true))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [seen, element])
  return seen
}
