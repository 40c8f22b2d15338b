import { fetchHistory } from '../api/history'
import { FrameBuffer } from './buffer'
import { connection } from './connection'
import type { Frame } from './frame'
import { columnStart } from './window'

/**
 * The frames that a page shows: twice its window (the second half is what changes are measured against), back-filled and
 * then kept live. Listeners are told once a frame, just before the browser paints, and not while paused or hidden.
 */
export class LiveFeed {
  readonly buffer: FrameBuffer
  /** end of the newest column that is shown; stands still while paused */
  endMs: number
  /** changes when there is something else to show */
  version = 0
  loaded = false
  error: unknown
  private paused = false
  private left = false
  private drawing: number | undefined
  private waiting: Frame[] | undefined = []
  private lastSeq: number | undefined
  private readonly listeners = new Set<() => void>()

  constructor(
    readonly windowMs: number,
    readonly stepMs: number,
  ) {
    this.buffer = new FrameBuffer(stepMs, windowMs * 2 + stepMs)
    this.endMs = this.newestEnd()
  }

  /** Starts to listen, and gives the function that stops it. */
  open(): () => void {
    this.left = false
    const stop = connection.onFrame((frame) => this.receive(frame))
    void this.fill(nowMs() - this.windowMs * 2)
    return () => {
      this.left = true
      stop()
      if (this.drawing !== undefined) cancelAnimationFrame(this.drawing)
      this.drawing = undefined
    }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** A pause keeps the frames that come, and what is shown, which stands still. */
  pause(paused: boolean): void {
    if (paused === this.paused) return
    this.paused = paused
    this.buffer.hold(paused ? this.endMs : undefined)
    this.changed()
  }

  private receive(frame: Frame): void {
    const missed = this.lastSeq !== undefined && frame.seq > this.lastSeq + 1
    this.lastSeq = frame.seq
    if (this.waiting !== undefined) this.waiting.push(frame)
    else if (missed) {
      this.waiting = [frame]
      void this.fill(this.buffer.newestMs)
    } else if (this.buffer.add(frame)) this.changed()
  }

  private async fill(fromMs: number): Promise<void> {
    this.waiting ??= []
    let failure: unknown
    try {
      const frames = await fetchHistory({ fromMs, toMs: nowMs(), stepSeconds: this.stepMs / 1000 })
      for (const frame of frames) this.buffer.add(frame)
    } catch (reason) {
      failure = reason
    }
    if (this.left) return
    this.error = failure
    for (const frame of this.waiting) this.buffer.add(frame)
    this.waiting = undefined
    if (!this.loaded) {
      this.endMs = this.newestEnd()
      this.version++
      if (this.paused) this.buffer.hold(this.endMs)
    }
    this.loaded = true
    this.changed()
  }

  private changed(): void {
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = undefined
      if (!this.paused) {
        this.endMs = this.newestEnd()
        this.version++
      }
      for (const listener of this.listeners) listener()
    })
  }

  /** A frame ends at a whole second or a little later: half a second is taken off before rounding. */
  private newestEnd(): number {
    return columnStart((this.buffer.newestMs || nowMs()) - 500, this.stepMs) + this.stepMs
  }
}

/** The engine's clock where a frame has told it: the browser's may be wrong. */
function nowMs(): number {
  return connection.latest?.timeMs ?? Date.now()
}
