// Durations of query strings: 500ms, 2s, 5m, 1h.

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** Longest delay of an answer by `?wait=`. */
export const WAIT_MAX_MS = 60_000

/** Milliseconds of a text that passed the `Duration` schema. */
export function durationMs(text: string): number {
  const match = /^(\d+)(ms|s|m|h)$/.exec(text)
  return match === null ? 0 : Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]
}

export const waitMs = (text: string): number => Math.min(durationMs(text), WAIT_MAX_MS)
