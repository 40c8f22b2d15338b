/** The milliseconds of a threshold, or undefined if the text is none that the server takes. */
export function thresholdOf(text: string): number | undefined {
  const ms = Number(text)
  return text.trim() !== '' && ms >= 0.1 && ms <= 3_600_000 ? ms : undefined
}

export const THRESHOLD_ERROR = 'Enter 0.1 to 3,600,000.'
