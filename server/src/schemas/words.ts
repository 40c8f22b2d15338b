// Names, and choices among a few words.
import { Type } from 'typebox'

/** One of a few words. */
export function choice<T extends string[]>(
  words: readonly [...T],
  options: { description?: string; default?: T[number] } = {},
) {
  return Type.Enum<T>(words, { type: 'string', ...options })
}

/** The rule for names; the core checks it again. */
const namePattern = '^(?!\\.{1,2}$)[A-Za-z0-9_.\\-]{1,63}$'

export const nameRule = "1 to 63 characters of A-Z, a-z, 0-9, '_', '.', '-', and not '.' or '..'"

/** Name of a namespace, set or index. */
export const Name = Type.String({
  pattern: namePattern,
  description: nameRule,
})

const setPattern = `^$|${namePattern}`

/** The patterns whose violation is a name that is not legal. */
export const namePatterns: readonly unknown[] = [namePattern, setPattern]

/** Which records of a namespace: those of a set, or with an empty text those that have none; absent means all. */
export const SetChoice = Type.String({
  pattern: setPattern,
  description: 'name of a set; empty = records without a set; absent = all records',
})
