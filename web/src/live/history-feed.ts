import { fetchHistory } from '../api/history'
import { FrameBuffer } from './buffer'
import { connection } from './connection'
import { LATE_MS, nowMs, type Feed } from './feed'
import type { Frame } from './frame'
import { columnStart, KEPT_MS } from './window'

/** The newest column is read again at its end, and at least this often. */
const REFRESH_MS = 60_000
const RETRY_MS = 5_000

/** A feed of a window that changes slowly. All of it is history, and frames only say when to read the newest column again. */
export class HistoryFeed implements Feed {
  readonly buffer: FrameBuffer
  endMs: number
  version = 0
  loaded = false
  error: unknown
  #isFilled = false
  #isPaused = false
  #isReading = false
  #hasLeft = false
  #dueMs = 0
  readonly #listeners = new Set<() => void>()

  constructor(
    readonly windowMs: number,
    readonly stepMs: number,
  ) {
    this.buffer = new FrameBuffer(stepMs, windowMs * 2 + stepMs)
    this.endMs = this.#endAt(nowMs())
  }

  open(): () => void {
    this.#hasLeft = false
    const stop = connection.onFrame(() => this.#look())
    if (!this.#isReading) void this.#read()
    return () => {
      this.#hasLeft = true
      stop()
    }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A pause reads nothing. What came meanwhile is in the history. */
  pause(paused: boolean): void {
    this.#isPaused = paused
    this.#look()
  }

  #look(): void {
    const isFree = !this.#isReading && !(this.#isPaused && this.#isFilled)
    if (isFree && nowMs() >= this.#dueMs) void this.#read()
  }

  async #read(): Promise<void> {
    this.#isReading = true
    const toMs = nowMs()
    const from = this.#endAt(toMs) - this.windowMs
    const start = Math.max(from, columnStart(this.buffer.newestMs - LATE_MS, this.stepMs))
    try {
      this.buffer.replace(await this.#fetch(start, toMs))
      this.error = undefined
      this.#dueMs = toMs + Math.min(this.stepMs, REFRESH_MS)
      if (!this.#isFilled) void this.#readBefore(start)
      this.#isFilled = true
    } catch (reason) {
      this.error = reason
      this.#dueMs = toMs + RETRY_MS
    }
    this.#isReading = false
    if (!this.#isPaused || !this.loaded) this.endMs = this.#endAt(Math.max(toMs, this.buffer.newestMs))
    this.loaded = true
    this.#changed()
  }

  /** The window before the shown one, in a request of its own: it may be kept in longer steps only. */
  async #readBefore(end: number): Promise<void> {
    if (this.windowMs * 2 > KEPT_MS) return
    try {
      this.buffer.precede(await this.#fetch(end - this.windowMs, end + LATE_MS - 1))
    } catch (reason) {
      this.error = reason
    }
    this.#changed()
  }

  /** Frames of the columns from `start` on: a frame lies in the column of its end less `LATE_MS`. */
  #fetch(start: number, toMs: number): Promise<Frame[]> {
    return fetchHistory({ fromMs: start + LATE_MS - 1, toMs, stepSeconds: this.stepMs / 1000 })
  }

  #changed(): void {
    if (this.#hasLeft) return
    this.version++
    for (const listener of this.#listeners) listener()
  }

  #endAt(timeMs: number): number {
    return columnStart(timeMs - LATE_MS, this.stepMs) + this.stepMs
  }
}
