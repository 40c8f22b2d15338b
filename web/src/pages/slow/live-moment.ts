import type { SlowOperation } from '../../api/types'
import { windowNames, windows, type WindowName } from '../../live/window'

/** A moment at the very edge of a window leaves it too soon. */
const ROOM = 0.9

/** The shortest window that has something of this age, or the longest of all. */
export const windowOf = (ageMs: number): WindowName =>
  windowNames.reduce((chosen, next) => (windows[chosen].ms * ROOM >= ageMs ? chosen : next))

/** Where Live shows the moment at which an operation ended, because it counts from then on. */
export function liveMoment({ namespace, op, startedAt, durationMs }: SlowOperation, nowMs = Date.now()) {
  const at = Math.round(Date.parse(startedAt) + durationMs)
  return { ns: namespace, op, window: windowOf(nowMs - at), at }
}
