import { t } from '../language/text'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The windows of charts over time: span and width of a column; at most 300 columns. */
export const windows = {
  '1m': { label: '1 m', words: t('1 min'), ms: MINUTE, stepMs: 1_000 },
  '5m': { label: '5 m', words: t('5 min'), ms: 5 * MINUTE, stepMs: 1_000 },
  '15m': { label: '15 m', words: t('15 min'), ms: 15 * MINUTE, stepMs: 5_000 },
  '1h': { label: '1 h', words: t('1 hour'), ms: HOUR, stepMs: 15_000 },
  '6h': { label: '6 h', words: t('6 hours'), ms: 6 * HOUR, stepMs: 2 * MINUTE },
  '24h': { label: '24 h', words: t('24 hours'), ms: DAY, stepMs: 5 * MINUTE },
  '7d': { label: '7 d', words: t('7 days'), ms: 7 * DAY, stepMs: HOUR },
  '30d': { label: '30 d', words: t('30 days'), ms: 30 * DAY, stepMs: 3 * HOUR },
} as const

export type WindowName = keyof typeof windows
export const windowNames = Object.keys(windows) as WindowName[]
export const MAX_COLUMNS = 300
/** The engine keeps no metrics for longer. */
export const KEPT_MS = 30 * DAY

/** A window with longer columns is read from the history, because it changes slowly. */
const LIVE_STEP_MS = 15_000

/** Whether a column is too long to be watched as it grows. */
export const isLong = (stepMs: number): boolean => stepMs > LIVE_STEP_MS

export function isWindowName(text: unknown): text is WindowName {
  return typeof text === 'string' && Object.hasOwn(windows, text)
}

/** The choices of a window. */
export const windowChoices = windowNames.map((value) => ({ value, label: windows[value].label }))

/** Start of the column that holds a time. */
export function columnStart(timeMs: number, stepMs: number): number {
  return Math.floor(timeMs / stepMs) * stepMs
}
