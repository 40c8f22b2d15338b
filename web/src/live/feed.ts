import { fetchHistory } from '../api/history'
import { FrameBuffer } from './buffer'
import { connection } from './connection'
import type { Frame } from './frame'
import { columnStart } from './window'

/** The frames that a page shows: those of its window, and as many from before it, because changes compare with them. */
export interface Feed {
  readonly windowMs: number
  readonly stepMs: number
  readonly buffer: FrameBuffer
  /** end of the newest shown column; fixed while paused */
  readonly endMs: number
  /** changes if there is something new to show */
  readonly version: number
  readonly loaded: boolean
  readonly error: unknown
  /** Starts to listen, and gives the function that stops it. */
  open: () => () => void
  readonly subscribe: (listener: () => void) => () => void
  /** A pause keeps what is shown. */
  pause: (paused: boolean) => void
}

/** Frames (one per second) to wait after a failed history request before it is repeated. */
const RETRY_FRAMES = 5
/** A frame ends at a whole second or slightly later; this is subtracted before rounding. */
export const LATE_MS = 500

/**
 * A feed that the history fills, then live frames. Listeners are called once per frame, just before the browser paints,
 * but not while paused or hidden.
 */
export class LiveFeed implements Feed {
  readonly buffer: FrameBuffer
  endMs: number
  version = 0
  loaded = false
  error: unknown
  private paused = false
  private left = false
  private drawing: number | undefined
  private waiting: Frame[] | undefined = []
  private lastSeq: number | undefined
  /** a failed history request: its start, and the frames until it is repeated */
  private missing: { fromMs: number; frames: number } | undefined
  private readonly listeners = new Set<() => void>()

  constructor(
    readonly windowMs: number,
    readonly stepMs: number,
  ) {
    this.buffer = new FrameBuffer(stepMs, windowMs * 2 + stepMs)
    this.endMs = this.newestEnd()
  }

  open(): () => void {
    this.left = false
    const stop = connection.onFrame((frame) => this.receive(frame))
    void this.fill(0)
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

  /** A pause keeps the shown frames, and records new ones. */
  pause(paused: boolean): void {
    if (paused === this.paused) return
    this.paused = paused
    this.buffer.hold(paused ? this.endMs : undefined)
    this.changed()
  }

  private receive(frame: Frame): void {
    const missed = this.lastSeq !== undefined && frame.seq > this.lastSeq + 1
    this.lastSeq = frame.seq
    const again = this.missing !== undefined && --this.missing.frames <= 0
    if (this.waiting !== undefined) this.waiting.push(frame)
    else if (missed || again) {
      this.waiting = [frame]
      void this.fill(this.missing?.fromMs ?? this.buffer.newestMs)
    } else if (this.buffer.add(frame)) this.changed()
  }

  /** Adds the history since `fromMs` in whole columns, then the frames that waited for it. */
  private async fill(fromMs: number): Promise<void> {
    const waiting = (this.waiting ??= [])
    const toMs = nowMs()
    const wasMissing = this.missing !== undefined
    const shownMs = (wasMissing && this.paused ? this.endMs : toMs) - this.windowMs * 2
    const start = columnStart(Math.max(fromMs, shownMs) - LATE_MS, this.stepMs)
    let failure: unknown
    try {
      const frames = await fetchHistory({ fromMs: start + LATE_MS, toMs, stepSeconds: this.stepMs / 1000 })
      this.buffer.replace(frames)
      this.missing = undefined
    } catch (reason) {
      failure = reason
      this.missing = { fromMs, frames: RETRY_FRAMES }
    }
    if (this.left) return
    this.error = failure
    for (const frame of waiting) this.buffer.add(frame)
    this.waiting = undefined
    if (!this.loaded) this.endMs = this.newestEnd()
    // A pause that began without its history shows it when it arrives. Nothing else changes a paused view.
    if (!this.loaded || wasMissing) this.version++
    if (this.paused) this.buffer.hold(this.endMs)
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

  private newestEnd(): number {
    return columnStart((this.buffer.newestMs || nowMs()) - LATE_MS, this.stepMs) + this.stepMs
  }
}

/** The engine's clock from the frames, because the browser's clock may be wrong. */
export function nowMs(): number {
  return connection.latest?.timeMs ?? Date.now()
}
