import { sixDigits, wholeCount } from '../format'
import { isIntegerText } from './json'

/** A figure for display: integers with every digit in groups of three, other numbers with six digits. */
export function figureWords(text: string): string {
  if (isIntegerText(text)) return wholeCount(BigInt(text))
  const value = Number(text)
  if (text === '' || !Number.isFinite(value)) return text
  const size = Math.abs(value)
  // Very large or small numbers stay in scientific notation.
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return text
  return sixDigits(value)
}
