import type { WorkloadRun } from '../../api/types'
import { nowMs } from '../../live/feed'

const SECOND_MS = 1000

/** When the seconds of a run began, Unix milliseconds. While it runs after a filling, the newest second tells it. */
export class RunOrigin {
  #least = Infinity

  of({ spec, startedAt, endedAt, result, frames }: WorkloadRun): number | undefined {
    if (endedAt !== undefined && result !== undefined) return Date.parse(endedAt) - result.elapsedSeconds * SECOND_MS
    if (startedAt === undefined) return undefined
    if (spec.fill !== true) return Date.parse(startedAt)
    const newest = frames.at(-1)
    if (newest === undefined) return undefined
    // A second is read a little after its end, so the earliest time is the nearest.
    this.#least = Math.min(this.#least, nowMs() - newest.atSeconds * SECOND_MS)
    return this.#least
  }
}
