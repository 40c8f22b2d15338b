import { compactFrames } from './compact'
import { filterKey, matches, type SeriesFilter } from './filter'
import type { Frame, Mark } from './frame'
import { addSeries, emptyTotals, type Totals } from './latency/totals'
import { columnStart } from './window'

/** One column of a chart. `totals` is undefined if no frame arrived: a gap, not a zero. */
export interface Column {
  start: number
  durationMs: number
  totals: Totals | undefined
}

interface Cell {
  frames: Frame[]
  derived: Map<string, Totals>
}

/** Frames by column, for one step and a bounded span: the newest, and those that a paused view needs. */
export class FrameBuffer {
  private readonly cells = new Map<number, Cell>()
  private open = -1
  private heldMs: number | undefined
  newestMs = 0
  /** names seen so far, sorted; a new array only for a new name */
  namespaces: readonly string[] = []

  constructor(
    readonly stepMs: number,
    readonly keepMs: number,
  ) {}

  /** Adds a frame. Ignores one that overlaps stored frames (from the history, and again live). */
  add(frame: Frame): boolean {
    const end = frame.timeMs
    if (end <= this.newestMs) return false
    this.newestMs = end
    const start = this.put(frame)
    if (start !== this.open) this.close(start)
    return true
  }

  /** Adds frames from before the first column, oldest first. */
  precede(frames: readonly Frame[]): void {
    const later = [...this.cells]
    const [first = Infinity] = later[0] ?? []
    this.cells.clear()
    for (const frame of frames) if (this.startOf(frame) < first) this.put(frame)
    for (const [start, cell] of later) this.cells.set(start, cell)
  }

  /** Adds past frames, oldest first. They replace everything from their first column on. */
  replace(frames: readonly Frame[]): void {
    const [first] = frames
    if (first === undefined) return
    const from = this.startOf(first)
    for (const start of this.cells.keys()) if (start >= from) this.cells.delete(start)
    this.newestMs = Math.min(this.newestMs, from)
    if (this.open >= from) this.open = -1
    for (const frame of frames) this.add(frame)
  }

  /** Also keeps the span before `endMs` until the next call; at most twice the span is stored. */
  hold(endMs: number | undefined): void {
    this.heldMs = endMs
  }

  private put(frame: Frame): number {
    for (const { namespace } of frame.latency)
      if (!this.namespaces.includes(namespace)) this.namespaces = [...this.namespaces, namespace].sort()
    const start = this.startOf(frame)
    const cell = this.cells.get(start)
    if (cell === undefined) this.cells.set(start, { frames: [frame], derived: new Map() })
    else {
      cell.frames.push(frame)
      cell.derived.clear()
    }
    return start
  }

  private startOf({ timeMs, durationMs }: Frame): number {
    return columnStart(timeMs - durationMs / 2, this.stepMs)
  }

  private close(next: number): void {
    const cell = this.cells.get(this.open)
    if (cell !== undefined) cell.frames = [compactFrames(cell.frames)]
    this.open = next
    for (const start of this.cells.keys()) {
      if (start >= next - this.keepMs) break
      if (!this.isHeld(start)) this.cells.delete(start)
    }
  }

  private isHeld(start: number): boolean {
    return this.heldMs !== undefined && start < this.heldMs && start >= this.heldMs - this.keepMs
  }

  /** Columns with start in [fromMs, toMs), gaps included. */
  columns(fromMs: number, toMs: number, filter: SeriesFilter): Column[] {
    const key = filterKey(filter)
    const out: Column[] = []
    for (let start = columnStart(fromMs, this.stepMs); start < toMs; start += this.stepMs) {
      const cell = this.cells.get(start)
      if (cell === undefined) {
        out.push({ start, durationMs: 0, totals: undefined })
        continue
      }
      let totals = cell.derived.get(key)
      if (totals === undefined) {
        totals = emptyTotals()
        for (const frame of cell.frames)
          for (const series of frame.latency) if (matches(filter, series)) addSeries(totals, series)
        cell.derived.set(key, totals)
      }
      out.push({ start, durationMs: cell.frames.reduce((sum, frame) => sum + frame.durationMs, 0), totals })
    }
    return out
  }

  /** The newest frame of each column with start in [fromMs, toMs); undefined for a gap. */
  frames(fromMs: number, toMs: number): { start: number; frame: Frame | undefined }[] {
    const out = []
    for (let start = columnStart(fromMs, this.stepMs); start < toMs; start += this.stepMs)
      out.push({ start, frame: this.cells.get(start)?.frames.at(-1) })
    return out
  }

  marks(fromMs: number, toMs: number): Mark[] {
    const out: Mark[] = []
    for (const cell of this.cells.values())
      for (const frame of cell.frames)
        for (const mark of frame.marks) if (mark.timeMs >= fromMs && mark.timeMs < toMs) out.push(mark)
    return out
  }

  newest(): Frame | undefined {
    return this.cells.get(this.open)?.frames.at(-1)
  }
}
