// Numbers in query strings, which are text. One way to write each integer: no sign ahead but `-`, no zeros ahead, no exponent,
// no space. JavaScript would also read `0x10`, `1e3`, ` 5` and an empty text.

const INTEGER = /^(0|-?[1-9]\d*)$/
const NUMBER = /^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d+)$/

/** Whether a text is an integer, however large. */
export const isInteger = (text: string): boolean => INTEGER.test(text)

/** Whether a text is an integer that JavaScript has exactly. */
export const isSafeInteger = (text: string): boolean => isInteger(text) && Number.isSafeInteger(Number(text))

/** Whether a text is a decimal number. */
export const isNumber = (text: string): boolean => NUMBER.test(text) && Number.isFinite(Number(text))
