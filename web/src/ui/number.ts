import { language } from '../language/chosen'
import { t } from '../language/text'

// Numbers that are typed stay text: "0.5", "9007199254740993". So no digit is lost, and a form says what is wrong with
// what is no number.

/** Which numbers a field takes. A whole number of 0 or more, unless it says otherwise. */
export interface Bounds {
  min?: number
  max?: number
  /** whether it may have a fraction */
  decimal?: boolean
  /** whether it has to be above `min`, not `min` itself */
  above?: boolean
}

/** How many threads a job may have. */
export const THREADS: Bounds = { min: 1, max: 128 }
/** What has to be there at least once. */
export const ONE_OR_MORE: Bounds = { min: 1 }

const WHOLE = /^-?\d+$/
const DECIMAL = /^-?(?:\d+\.?\d*|\.\d+)$/

const isNumber = (text: string, { decimal = false }: Bounds): boolean => (decimal ? DECIMAL : WHOLE).test(text.trim())

/** Whether the text is a number that the field takes. */
export function isWithin(text: string, bounds: Bounds): boolean {
  if (!isNumber(text, bounds)) return false
  const value = Number(text)
  const { min = bounds.decimal === true ? -Infinity : 0, max = Number.MAX_SAFE_INTEGER, above = false } = bounds
  return (above ? value > min : value >= min) && value <= max
}

/** What a field takes, in words. */
export function boundsWords({ min, max, decimal = false, above = false }: Bounds): string {
  const least = numberText(String(min ?? 0))
  if (max !== undefined && min !== undefined) {
    const values = { min: least, max: numberText(String(max)) }
    return decimal ? t('A number from {min} to {max}', values) : t('A whole number from {min} to {max}', values)
  }
  if (!decimal) return t('A whole number, {min} or more', { min: least })
  if (min === undefined) return t('A number')
  return above ? t('A number above {min}', { min: least }) : t('A number, {min} or more', { min: least })
}

/** What is wrong with a number as it was typed. An empty text is not wrong: the field is unset. */
export const numberError = (text: string, bounds: Bounds): string | undefined =>
  text.trim() === '' || isWithin(text, bounds) ? undefined : boundsWords(bounds)

const formats = new Map<number, Intl.NumberFormat>()

/** A number for the reader, with all its digits. Other texts stay as they are. */
export function numberText(text: string): string {
  if (!DECIMAL.test(text) || text.startsWith('.') || text.endsWith('.')) return text
  const decimals = text.split('.')[1]?.length ?? 0
  if (decimals > 20) return text
  let format = formats.get(decimals)
  if (format === undefined) {
    format = new Intl.NumberFormat(language.locale, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    })
    formats.set(decimals, format)
  }
  return format.format(decimals === 0 ? BigInt(text) : Number(text))
}

/** The separators that the reader's language has. */
function separators(): { group: string; decimal: string } {
  const parts = new Intl.NumberFormat(language.locale).formatToParts(11_111.1)
  const of = (wanted: string, usual: string): string => parts.find(({ type }) => type === wanted)?.value ?? usual
  return { group: of('group', ','), decimal: of('decimal', '.') }
}

/**
 * As `plainNumber`, of a text that was `shown` before one character was typed or removed. So groups that are there stay
 * where they are while digits come and go.
 */
export function editedNumber(shown: string, typed: string): string {
  const { group } = separators()
  const isEdit = shown.includes(group) && Math.abs(shown.length - typed.length) === 1
  const plain = plainNumber(typed)
  if (!isEdit || DECIMAL.test(plain)) return plain
  const ungrouped = plainNumber(typed.replaceAll(group, ''))
  return DECIMAL.test(ungrouped) ? ungrouped : plain
}

/** What a reader typed, as a plain number: "1.000,5" of a German reader is "1000.5". What is no number stays as it is. */
export function plainNumber(typed: string): string {
  const { group, decimal } = separators()
  // Digits of full width are typed in Chinese and Japanese.
  const text = typed.normalize('NFKC').trim().replace('−', '-')
  const [whole = '', ...fractions] = text.split(decimal)
  const groups = whole.split(group)
  const isGrouped =
    groups.length > 1 && groups.every((digits, at) => (at === 0 ? /^-?\d{1,3}$/ : /^\d{3}$/).test(digits))
  const plain = [isGrouped ? groups.join('') : whole, ...fractions].join('.')
  return DECIMAL.test(plain) ? plain : typed.trim()
}
