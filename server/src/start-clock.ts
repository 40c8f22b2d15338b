// How long the start of this process took, by part. It has no imports, so that it is there first.

/** In the order of a start. `runtime`: Node.js itself, up to the first line of the gateway. */
export const startParts = ['runtime', 'code', 'settings', 'engine', 'routes', 'listen'] as const
export type StartPart = (typeof startParts)[number]

export interface StartTimes {
  /** From the start of the process until it listened. */
  totalMs: number
  parts: { part: StartPart; ms: number }[]
  /** From then until no namespace recovered; unset: none did, or one still does. */
  recoveryMs?: number
}

// `npm start` brings the tree up to date first, in this process. That is no part of the start of a server.
const setUpMs = performance.getEntriesByName('tessera-set-up')[0]?.duration ?? 0
// The origin of `performance` is the start of the process.
const now = (): number => performance.now() - setUpMs
const ends: { part: StartPart; endMs: number }[] = [{ part: 'runtime', endMs: now() }]
let recoveredMs: number | undefined

/** A part has ended. */
export function startPassed(part: StartPart): void {
  ends.push({ part, endMs: now() })
}

export function startRecovered(): void {
  recoveredMs = now()
}

/** Unset: nothing listens, or it was not started by the command. */
export function startTimes(): StartTimes | undefined {
  const last = ends.at(-1)
  if (last?.part !== 'listen') return undefined
  return {
    totalMs: last.endMs,
    parts: ends.map(({ part, endMs }, i) => ({ part, ms: endMs - (ends[i - 1]?.endMs ?? 0) })),
    ...(recoveredMs !== undefined && { recoveryMs: recoveredMs - last.endMs }),
  }
}
