// When a schedule is due.
const HOUR_MS = 3_600_000
/** A Monday. */
const MONDAY_MS = Date.parse('1970-01-05T00:00:00Z')

/** The first moment after `nowMs` that is some periods behind a Monday at `at` (`HH:MM`, UTC). Unix milliseconds. */
export function nextAfter(nowMs: number, everyHours: number, at: string): number {
  const [hours = 0, minutes = 0] = at.split(':').map(Number)
  const first = MONDAY_MS + hours * HOUR_MS + minutes * 60_000
  const period = everyHours * HOUR_MS
  return first + (Math.floor((nowMs - first) / period) + 1) * period
}
