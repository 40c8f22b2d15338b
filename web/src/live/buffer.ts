import { compactFrames } from './compact'
import { filterKey, matches, type SeriesFilter } from './filter'
import { eventLog } from './event-log'
import type { Frame, Mark } from './frame'
import { addSeries, addTotals, emptyTotals, type Part, type Totals } from './latency/totals'
import { columnStart } from './window'

/** One column of a chart. `totals` is undefined if no frame arrived: a gap, not a zero. */
export interface Column {
  start: number
  durationMs: number
  totals: Totals | undefined
}

interface Cell {
  frames: Frame[]
  /** by filter */
  columns: Map<string, Column>
}

/** What a column adds up to whose frames have nothing of a filter. Most are so, and room for all buckets takes long to make. */
const NOTHING = emptyTotals()

/** Columns of a block, whose sum is kept: most of them never change again. */
const BLOCK = 16

/** Frames by column, for one step and a bounded span: the newest, and those that a paused view needs. */
export class FrameBuffer {
  private readonly cells = new Map<number, Cell>()
  /** sums of blocks by their start and by filter */
  private readonly blocks = new Map<number, Map<string, Part>>()
  /** the marks of the columns that have some */
  private readonly marked = new Map<number, Mark[]>()
  /** start of the column of the newest frame: only it and later ones change, unless `epoch` does */
  open = -1
  private heldMs: number | undefined
  newestMs = 0
  /** changes if more than the newest columns did */
  epoch = 0
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
    this.epoch++
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
    this.epoch++
    const from = this.startOf(first)
    for (const start of this.cells.keys()) if (start >= from) this.remove(start)
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
    if (cell === undefined) this.cells.set(start, { frames: [frame], columns: new Map() })
    else {
      cell.frames.push(frame)
      cell.columns.clear()
    }
    this.blocks.delete(columnStart(start, this.stepMs * BLOCK))
    if (frame.marks.length > 0) {
      this.marked.set(start, [...(this.marked.get(start) ?? []), ...frame.marks])
      eventLog.note(frame.marks)
    }
    return start
  }

  private remove(start: number): void {
    this.cells.delete(start)
    this.marked.delete(start)
    this.blocks.delete(columnStart(start, this.stepMs * BLOCK))
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
      if (!this.isHeld(start)) this.remove(start)
    }
  }

  private isHeld(start: number): boolean {
    return this.heldMs !== undefined && start < this.heldMs && start >= this.heldMs - this.keepMs
  }

  /** Columns with start in [fromMs, toMs), gaps included. */
  columns(fromMs: number, toMs: number, filter: SeriesFilter): Column[] {
    const key = filterKey(filter)
    const out: Column[] = []
    for (let start = columnStart(fromMs, this.stepMs); start < toMs; start += this.stepMs)
      out.push(this.column(start, filter, key) ?? { start, durationMs: 0, totals: undefined })
    return out
  }

  /** How many operations a second each namespace had in the columns with start in [fromMs, toMs), if it had any. */
  loads(fromMs: number, toMs: number, side: SeriesFilter['side']): Map<string, number> {
    const loads = new Map<string, number>()
    let durationMs = 0
    for (let start = columnStart(fromMs, this.stepMs); start < toMs; start += this.stepMs)
      for (const frame of this.cells.get(start)?.frames ?? []) {
        durationMs += frame.durationMs
        for (const series of frame.latency)
          if (series.side === side && series.outcome !== 'error')
            loads.set(series.namespace, (loads.get(series.namespace) ?? 0) + series.count)
      }
    for (const [namespace, operations] of loads) loads.set(namespace, operations / (durationMs / 1000))
    return loads
  }

  /** What the columns with start in [fromMs, toMs) add up to. */
  sum(fromMs: number, toMs: number, filter: SeriesFilter): Part {
    const key = filterKey(filter)
    const blockMs = this.stepMs * BLOCK
    const sum = { totals: emptyTotals(), seconds: 0 }
    for (let start = columnStart(fromMs, this.stepMs); start < toMs;) {
      const isBlock = start % blockMs === 0 && start + blockMs <= toMs
      add(sum, isBlock ? this.block(start, filter, key) : partOf(this.column(start, filter, key)))
      start += isBlock ? blockMs : this.stepMs
    }
    return sum
  }

  private block(start: number, filter: SeriesFilter, key: string): Part | undefined {
    const sums = this.blocks.get(start) ?? new Map<string, Part>()
    const known = sums.get(key)
    if (known !== undefined) return known
    const parts: Part[] = []
    for (let index = 0; index < BLOCK; index++) {
      const part = partOf(this.column(start + index * this.stepMs, filter, key))
      if (part !== undefined) parts.push(part)
    }
    // A young server has many, and each frame asks for them again.
    if (parts.length === 0) return undefined
    const isNothing = parts.every(({ totals }) => totals === NOTHING)
    const sum = { totals: isNothing ? NOTHING : emptyTotals(), seconds: 0 }
    for (const part of parts) add(sum, part)
    this.blocks.set(start, sums.set(key, sum))
    return sum
  }

  /** A column that has frames; the same object until it changes. */
  private column(start: number, filter: SeriesFilter, key: string): Column | undefined {
    const cell = this.cells.get(start)
    if (cell === undefined) return undefined
    let column = cell.columns.get(key)
    if (column === undefined) {
      let totals: Totals | undefined
      for (const frame of cell.frames)
        for (const series of frame.latency)
          if (matches(filter, series)) {
            totals ??= emptyTotals()
            addSeries(totals, series)
          }
      const durationMs = cell.frames.reduce((sum, frame) => sum + frame.durationMs, 0)
      column = { start, durationMs, totals: totals ?? NOTHING }
      cell.columns.set(key, column)
    }
    return column
  }

  /** The newest frame of each column with start in [fromMs, toMs); undefined for a gap. */
  frames(fromMs: number, toMs: number): { start: number; frame: Frame | undefined }[] {
    const out = []
    for (let start = columnStart(fromMs, this.stepMs); start < toMs; start += this.stepMs)
      out.push({ start, frame: this.cells.get(start)?.frames.at(-1) })
    return out
  }

  marks(fromMs: number, toMs: number): Mark[] {
    const columns = [...this.marked].toSorted(([one], [other]) => one - other)
    return columns.flatMap(([, marks]) => marks.filter(({ timeMs }) => timeMs >= fromMs && timeMs < toMs))
  }

  newest(): Frame | undefined {
    return this.cells.get(this.open)?.frames.at(-1)
  }
}

const partOf = (column: Column | undefined): Part | undefined =>
  column?.totals && { totals: column.totals, seconds: column.durationMs / 1000 }

function add(sum: Part, part: Part | undefined): void {
  if (part === undefined) return
  if (part.totals !== NOTHING) addTotals(sum.totals, part.totals)
  sum.seconds += part.seconds
}
