import type { Range } from '../../../charts/spec/spec'
import type { Feed } from '../../../live/feed'
import { deviceColumns, type DeviceColumn } from './figures'

/** What the charts and tiles of a device show of a feed, made once per frame. */
export class DeviceView {
  private made = -1
  private current: { range: Range; columns: DeviceColumn[] } = { range: { from: 0, to: 0 }, columns: [] }

  constructor(
    readonly feed: Pick<Feed, 'buffer' | 'endMs' | 'stepMs' | 'subscribe' | 'version' | 'windowMs'>,
    readonly namespace: string,
    /** of one disk; unset: all */
    readonly path: string | undefined,
  ) {}

  get range(): Range {
    return this.now().range
  }

  get columns(): DeviceColumn[] {
    return this.now().columns
  }

  private now(): { range: Range; columns: DeviceColumn[] } {
    const { buffer, endMs, version, windowMs } = this.feed
    if (this.made !== version) {
      const range = { from: endMs - windowMs, to: endMs }
      this.made = version
      this.current = {
        range,
        columns: deviceColumns(buffer.frames(range.from, range.to), this.namespace, this.path),
      }
    }
    return this.current
  }
}
