import { tellMoved } from '../charts/spec/moved'
import type { Range } from '../charts/spec/spec'
import type { Column } from './buffer'
import type { Feed } from './feed'
import type { SeriesFilter } from './filter'
import type { Part } from './latency/totals'

/** What a view shows of one version of its feed. */
interface Shown {
  /** counts the versions that were made */
  made: number
  range: Range
  columns: Column[]
  /** what all columns add up to */
  whole: Part
  /** the column that may still have grown */
  open: number
  /** the first `kept` columns are those of the version made before, from its column `from` on */
  from: number
  kept: number
}

interface Values {
  made: number
  values: readonly unknown[]
}

/** The view of a feed for all charts of a page, computed once per frame. */
export class LiveView {
  private version = -1
  private epoch = -1
  private current: Shown | undefined
  private readonly known = new WeakMap<(column: Column) => unknown, Values>()

  constructor(
    readonly feed: Feed,
    readonly filter: SeriesFilter,
  ) {}

  get range(): Range {
    return this.now().range
  }

  get columns(): Column[] {
    return this.now().columns
  }

  get whole(): Part {
    return this.now().whole
  }

  columnAt(timeMs: number): Column | undefined {
    return this.columns[Math.floor((timeMs - this.range.from) / this.feed.stepMs)]
  }

  /** A value of each column. A frame computes it only for new columns: `of` has to be the same function each time. */
  each<T>(of: (column: Column) => T): readonly T[] {
    const { made, columns, from, kept } = this.now()
    const known = this.known.get(of) as { made: number; values: readonly T[] } | undefined
    if (known?.made === made) return known.values
    const isNext = known?.made === made - 1
    const values = isNext ? known.values.slice(from, from + kept) : []
    if (isNext) tellMoved(values, { old: known.values, from, kept })
    for (let index = values.length; index < columns.length; index++) values.push(of(columns[index]!))
    this.known.set(of, { made, values })
    return values
  }

  /** What of the version made before is in this one, so that what is made of columns can be kept, too. */
  now(): Shown {
    const { feed, filter } = this
    const { buffer, endMs, version, windowMs, stepMs } = feed
    const old = this.current
    if (old !== undefined && this.version === version) return old
    const range = { from: endMs - windowMs, to: endMs }
    const from = old === undefined ? 0 : (range.from - old.range.from) / stepMs
    const isSame = old !== undefined && this.epoch === buffer.epoch && from >= 0
    const kept = isSame ? old.columns.slice(from, Math.max(from, (old.open - old.range.from) / stepMs)) : []
    this.version = version
    this.epoch = buffer.epoch
    this.current = {
      made: (old?.made ?? 0) + 1,
      range,
      columns: kept.concat(buffer.columns(range.from + kept.length * stepMs, range.to, filter)),
      whole: buffer.sum(range.from, range.to, filter),
      open: buffer.open,
      from,
      kept: kept.length,
    }
    return this.current
  }
}
