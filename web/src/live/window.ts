/** The windows of the live chart: span and width of a column; at most 300 columns. */
export const windows = {
  '1m': { label: '1 m', words: '1 min', ms: 60_000, stepMs: 1_000 },
  '5m': { label: '5 m', words: '5 min', ms: 300_000, stepMs: 1_000 },
  '15m': { label: '15 m', words: '15 min', ms: 900_000, stepMs: 5_000 },
  '1h': { label: '1 h', words: '1 hour', ms: 3_600_000, stepMs: 15_000 },
} as const

export type WindowName = keyof typeof windows
export const windowNames = Object.keys(windows) as WindowName[]
export const MAX_COLUMNS = 300

export function isWindowName(text: unknown): text is WindowName {
  return typeof text === 'string' && text in windows
}

/** Start of the column that holds a time. */
export function columnStart(timeMs: number, stepMs: number): number {
  return Math.floor(timeMs / stepMs) * stepMs
}
