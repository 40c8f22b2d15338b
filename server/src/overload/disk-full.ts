// Tells that the disk of the data directory is full: changes of records are refused then, and nobody would know why.
import type { GatewayNotice } from '../schemas/server/gateway.js'
import type { EngineStatus } from '../schemas/server/status.js'
import { english, saidOf, say } from '../sentences/sentence.js'

/** Full is what has less free than this, or than this share of a small disk. */
const LEAST_BYTES = 64 * 1024 * 1024
const LEAST_SHARE = 0.01

type Disk = Pick<EngineStatus, 'dataDirectory' | 'diskFreeBytes' | 'diskTotalBytes'>

export class DiskFull {
  #sinceMs: number | undefined

  /** Each look at the status is one at the disk. */
  notices({ dataDirectory, diskFreeBytes, diskTotalBytes }: Disk, nowMs = Date.now()): GatewayNotice[] {
    // A disk whose size cannot be read has none.
    if (diskFreeBytes >= Math.min(LEAST_BYTES, diskTotalBytes * LEAST_SHARE)) {
      this.#sinceMs = undefined
      return []
    }
    this.#sinceMs ??= nowMs
    const sentence = say('the disk of {directory} is full: {free, number} MiB are free; make room on it', {
      directory: dataDirectory,
      free: Math.floor(diskFreeBytes / 2 ** 20),
    })
    const since = new Date(this.#sinceMs).toISOString()
    return [{ code: 'disk_full', message: english(sentence), ...saidOf(sentence), since }]
  }
}
