import type { Range } from '../charts/spec/spec'
import type { Column } from './buffer'
import type { Feed } from './feed'
import type { SeriesFilter } from './filter'
import type { Mark } from './frame'

/** The view of a feed for all charts of a page, computed once per frame. */
export class LiveView {
  private made = -1
  private current: { range: Range; columns: Column[]; marks: Mark[] } | undefined

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

  get marks(): Mark[] {
    return this.now().marks
  }

  columnAt(timeMs: number): Column | undefined {
    return this.columns[Math.floor((timeMs - this.range.from) / this.feed.stepMs)]
  }

  private now(): { range: Range; columns: Column[]; marks: Mark[] } {
    const { buffer, endMs, version, windowMs } = this.feed
    if (this.current === undefined || this.made !== version) {
      const range = { from: endMs - windowMs, to: endMs }
      this.made = version
      this.current = {
        range,
        columns: buffer.columns(range.from, range.to, this.filter),
        marks: buffer.marks(range.from, range.to),
      }
    }
    return this.current
  }
}
