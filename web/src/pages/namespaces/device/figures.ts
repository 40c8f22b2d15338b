import type { DeviceLoad, DiskLoad } from '../../../api/types'
import type { Frame } from '../../../live/frame'

/** Disk activity of one second in the terms of iostat; NaN: not known. */
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

/** Activity of a namespace's disks in one second; undefined without a frame that has the namespace. */
export interface DeviceSecond {
  load: DeviceLoad | undefined
  figures: Figures | undefined
}

export interface DeviceColumn extends DeviceSecond {
  start: number
}

/** Combines disks: sums of rates and depths, latencies weighted by operations, mean busy share. */
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

/** The seconds of one disk of a namespace, or of all its disks. */
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

/** Columns to search for the newest load; the last column may have no frame yet. */
const NEWEST = 2

/** The newest second, from the last columns or else from the report. */
export function newestSecond(
  columns: readonly DeviceColumn[],
  reported: DeviceLoad | undefined,
  path: string | undefined,
): DeviceSecond {
  return columns.slice(-NEWEST).findLast(({ load }) => load !== undefined) ?? secondOf(reported, path)
}

/** The load of one disk, or of all disks. */
function secondOf(load: DeviceLoad | undefined, path: string | undefined): DeviceSecond {
  const disks = load?.disks.filter((disk) => path === undefined || disk.path === path) ?? []
  return { load, figures: disks.length === 0 ? undefined : together(disks) }
}
