import type { Range } from '../charts/spec/spec'
import type { Feed } from './feed'
import type { Frame } from './frame'

type FrameColumns = readonly { start: number; frame: Frame | undefined }[]

/** What charts and tiles show of the frames of a feed, made once per frame. */
export class FramesView<Column> {
  private made = -1
  private current: { range: Range; columns: Column[] } = { range: { from: 0, to: 0 }, columns: [] }

  constructor(
    readonly feed: Pick<Feed, 'buffer' | 'endMs' | 'stepMs' | 'subscribe' | 'version' | 'windowMs'>,
    private readonly columnsOf: (frames: FrameColumns) => Column[],
  ) {}

  get range(): Range {
    return this.now().range
  }

  get columns(): Column[] {
    return this.now().columns
  }

  private now(): { range: Range; columns: Column[] } {
    const { buffer, endMs, version, windowMs } = this.feed
    if (this.made !== version) {
      const range = { from: endMs - windowMs, to: endMs }
      this.made = version
      this.current = { range, columns: this.columnsOf(buffer.frames(range.from, range.to)) }
    }
    return this.current
  }
}
