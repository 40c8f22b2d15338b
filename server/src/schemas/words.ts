// Names, ids, and choices among a few words.
import { Type } from 'typebox'

/** One of a few words. */
export function choice<T extends string[]>(
  words: readonly [...T],
  options: { description?: string; default?: T[number]; examples?: T[number][] } = {},
) {
  return Type.Enum<T>(words, { type: 'string', ...options })
}

/** The rule for names; the core checks it again. */
const namePattern = '^(?!\\.{1,2}$)[A-Za-z0-9_.\\-]{1,63}$'

export const nameRule = "1 to 63 characters of A-Z, a-z, 0-9, '_', '.', '-', and not '.' or '..'"

const name = (what: string, example: string) =>
  Type.String({ pattern: namePattern, description: `${what}: ${nameRule}.`, examples: [example] })

export const NamespaceName = name('Name of the namespace', 'shop')
export const SetName = name('Name of the set', 'events')
export const IndexName = name('Name of the index', 'payload')
export const TokenName = name('Name of the token', 'nightly-load')
export const UserName = name('Name of the user', 'ada')

const setPattern = `^$|${namePattern}`

/** Patterns of names: a value that does not match is answered with `name_invalid`. */
export const namePatterns: readonly unknown[] = [namePattern, setPattern]

/** A set by name, the records without a set (empty), or all records (unset). */
export const SetChoice = Type.String({
  pattern: setPattern,
  description: 'Name of a set. Empty: records without a set. Unset: all records.',
  examples: ['events'],
})

/** A name for people; `checkTitle` checks its characters, so that what was stored before can still be read. */
export const Title = (most: number) =>
  Type.String({
    minLength: 1,
    maxLength: most,
    description: `Name for people, 1 to ${most} characters, without control characters and invisible ones.`,
  })

/** An id in a path. */
export const Id = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 64, description, examples: [example] })

export const JobId = Id('Id of the job.', '001m872xz2100')

/** A comma-separated list in a query. */
export const list = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 65_536, description, examples: [example] })

/** Some of a few words, comma-separated, in a query. */
export const several = (words: readonly string[], description: string, example: string) =>
  Type.Optional(
    Type.String({
      maxLength: 256,
      pattern: `^(${words.join('|')})(,(${words.join('|')}))*$`,
      description,
      examples: [example],
    }),
  )

/** Why somebody changes something; `checkText` checks its characters. */
export const Reason = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Why, for those who read the history. At most 500 characters.',
    examples: ['Sessions end after a day.'],
  }),
)
