// Rows of two systems compared as multisets: in no order, each as often as it comes. Rows are JSON objects; the order of keys
// counts for nothing, and numbers by value, digit by digit: none is made a double on the way.

/** A string, or a number outside of one. */
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * The value as JSON.parse reads it, but numbers as strings that no other string equals: `jsonb` has no U+0000.
 * @param {string} text @returns {unknown}
 */
export function exact(text) {
  return JSON.parse(text.replace(token, (part) => (part.startsWith('"') ? part : `"\\u0000${decimal(part)}"`)))
}

/** `-12.50` as `-125e-1`: one spelling a value. @param {string} number as JSON writes them */
function decimal(number) {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const shown = digits.replace(/0+$/, '')
  if (shown === '') return '0'
  return `${sign}${shown}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - shown.length)}`
}

/** One text for all texts of a value. @param {unknown} value of `exact` @returns {string} */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)
  return `{${members.sort().join(',')}}`
}

/** @param {string} text rows, one a line @param {(row: any) => unknown} [pick] what of a row counts @returns {string[]} */
export function canonicalRows(text, pick = (row) => row) {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => canonical(pick(exact(line)))).sort()
}

/** @param {string[]} a canonical rows @param {string[]} b @returns {string | undefined} where they differ, in words */
export function difference(a, b) {
  const at = Array.from({ length: Math.max(a.length, b.length) }).findIndex((_, n) => a[n] !== b[n])
  if (at < 0) return undefined
  return `${a.length} and ${b.length} rows; the first that differ, in canonical order:\n${a[at]}\n${b[at]}`
}
