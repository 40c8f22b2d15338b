import { type Bounds, isWithin } from '../../ui/number'

/** The milliseconds that a threshold may have. */
export const THRESHOLD: Bounds = { min: 0.1, max: 3_600_000, decimal: true }

/** The milliseconds of a threshold, or undefined if the text is none that the server takes. */
export const thresholdOf = (text: string): number | undefined => (isWithin(text, THRESHOLD) ? Number(text) : undefined)
