import type { DeviceLoad, DiskLoad } from '../../../api/types'
import type { Frame } from '../../../live/frame'

/** What disks did in one second, as iostat says it; NaN where there is nothing to say. */
export interface Figures {
  readBytes: number
  writeBytes: number
  reads: number
  writes: number
  syncs: number
  readMs: number
  writeMs: number
  syncMs: number
  depth: number
  busyPercent: number
}

/** What a namespace's disks did in one second: undefined where no frame came, or the namespace is in none. */
export interface DeviceSecond {
  load: DeviceLoad | undefined
  figures: Figures | undefined
}

export interface DeviceColumn extends DeviceSecond {
  start: number
}

/** Disks as one: rates and depths are added, latencies weighed by operations, busy shares averaged. */
export function together(disks: readonly DiskLoad[]): Figures {
  const sum = (of: (disk: DiskLoad) => number): number => disks.reduce((all, disk) => all + of(disk), 0)
  const latency = (rate: (disk: DiskLoad) => number, ms: (disk: DiskLoad) => number | undefined): number =>
    sum((disk) => rate(disk) * (ms(disk) ?? 0)) / sum(rate)
  return {
    readBytes: sum((disk) => disk.readBytesPerSecond),
    writeBytes: sum((disk) => disk.writeBytesPerSecond),
    reads: sum((disk) => disk.readsPerSecond),
    writes: sum((disk) => disk.writesPerSecond),
    syncs: sum((disk) => disk.syncsPerSecond),
    readMs: latency(
      (disk) => disk.readsPerSecond,
      (disk) => disk.readLatencyMs,
    ),
    writeMs: latency(
      (disk) => disk.writesPerSecond,
      (disk) => disk.writeLatencyMs,
    ),
    syncMs: latency(
      (disk) => disk.syncsPerSecond,
      (disk) => disk.syncLatencyMs,
    ),
    depth: sum((disk) => disk.queueDepth),
    busyPercent: sum((disk) => disk.busyPercent) / disks.length,
  }
}

/** Seconds of a namespace, of one of its disks or of all of them. */
export function deviceColumns(
  frames: readonly { start: number; frame: Frame | undefined }[],
  namespace: string,
  path: string | undefined,
): DeviceColumn[] {
  return frames.map(({ start, frame }) => ({
    start,
    ...secondOf(
      frame?.devices?.find((device) => device.namespace === namespace),
      path,
    ),
  }))
}

/** The seconds in which the newest load can be: the last column may have no frame yet. */
const NEWEST = 2

/** The newest second: of the last columns while frames come, else what the report says of it. */
export function newestSecond(
  columns: readonly DeviceColumn[],
  reported: DeviceLoad | undefined,
  path: string | undefined,
): DeviceSecond {
  return columns.slice(-NEWEST).findLast(({ load }) => load !== undefined) ?? secondOf(reported, path)
}

/** A load, of one of its disks or of all of them. */
function secondOf(load: DeviceLoad | undefined, path: string | undefined): DeviceSecond {
  const disks = load?.disks.filter((disk) => path === undefined || disk.path === path) ?? []
  return { load, figures: disks.length === 0 ? undefined : together(disks) }
}
