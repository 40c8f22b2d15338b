// The only subscription to the engine's frames; all listeners register here.
import type { Engine } from '../engines/engine.js'
import type { MetricsFrame } from '../schemas/server/metrics.js'

export type FrameListener = (frame: MetricsFrame) => void

export class LiveHub {
  readonly #listeners = new Set<FrameListener>()
  readonly #stop: () => void
  #latest: MetricsFrame | undefined

  constructor(engine: Engine) {
    this.#stop = engine.onFrame((frame) => this.publish(frame))
  }

  /** Passes a frame to all listeners. */
  publish(frame: MetricsFrame): void {
    this.#latest = frame
    for (const listener of this.#listeners) listener(frame)
  }

  get latest(): MetricsFrame | undefined {
    return this.#latest
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** Calls `listener` once per second until the returned function is called. */
  listen(listener: FrameListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#stop()
    this.#listeners.clear()
  }
}
