import { isIntegerText } from './json'

const decimals = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 })
const large = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** A figure for display: integers with every digit in groups of three, other numbers with six digits. */
export function figureWords(text: string): string {
  if (isIntegerText(text)) return BigInt(text).toLocaleString('en-US')
  const value = Number(text)
  if (text === '' || !Number.isFinite(value)) return text
  const size = Math.abs(value)
  // Very large or small numbers stay in scientific notation.
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return text
  return (size >= 1e6 ? large : decimals).format(value)
}
