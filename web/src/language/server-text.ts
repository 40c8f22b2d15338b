import { atMost, bytes, dateTime, fixed, latency, rate, sixDigits } from '../format'
import { chosen } from './chosen'
import { isKnown, sayAny, type Values } from './text'

/** A sentence of the server: an English message in the ICU format, and its values. */
export interface Said {
  message: string
  /** texts, numbers, amounts, points in time, and further sentences */
  values?: Readonly<Record<string, unknown>>
}

/**
 * A sentence that the server made, in the language of the reader. `text` is the English one, and `said` what it was made
 * of; without values it is its own message. A sentence that the catalogue does not have stays English: the server may be
 * newer than this page.
 */
export function serverText(text: string, said: Said = { message: text }): string {
  if (chosen === 'en' || !isKnown(said.message)) return text
  try {
    return sentenceText(said)
  } catch {
    // A message with values that it does not name.
    return text
  }
}

const sentenceText = ({ message, values = {} }: Said): string =>
  sayAny(message, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueText(value)])) as Values)

function valueText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isAmount(value)) return amountText(value)
  if ('time' in value) return dateTime(Date.parse(String(value.time)))
  return 'message' in value ? sentenceText(value as Said) : JSON.stringify(value)
}

interface Amount {
  amount: number
  unit: unknown
  decimals?: number
}

const isAmount = (value: object): value is Amount => 'amount' in value && typeof value.amount === 'number'

function amountText({ amount, unit, decimals }: Amount): string {
  switch (unit) {
    case 'ms':
      return latency(amount * 1e6)
    case 'bytes':
      return bytes(amount)
    case 'percent':
      return `${decimals === undefined ? atMost(amount, 2) : fixed(amount, decimals)}%`
    case 'per second':
      return rate(amount)
    default:
      return sixDigits(amount)
  }
}
