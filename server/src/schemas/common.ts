// What several resources share: names, times, pages, problems.
import { type Static, type TSchema, Type } from 'typebox'

/** One of a few words. */
export function choice<T extends string[]>(
  words: readonly [...T],
  options: { description?: string; default?: T[number] } = {},
) {
  return Type.Enum<T>(words, { type: 'string', ...options })
}

/** The rule for names; the core checks it again. */
export const namePattern = '^(?!\\.{1,2}$)[A-Za-z0-9_.\\-]{1,63}$'

export const nameRule = "1 to 63 characters of A-Z, a-z, 0-9, '_', '.', '-', and not '.' or '..'"

/** Name of a namespace, set or index. */
export const Name = Type.String({
  pattern: namePattern,
  description: nameRule,
})

export const Timestamp = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' })

export const Bytes = Type.Integer({ minimum: 0, description: 'bytes' })

export const Count = Type.Integer({ minimum: 0 })

export const Threads = Type.Integer({ minimum: 1, maximum: 128, description: 'worker threads, 1 to 128' })

/** A duration in a query string, such as `2s`, `500ms`, `5m`. */
export const Duration = Type.String({
  pattern: '^[0-9]{1,9}(ms|s|m|h)$',
  description: 'a duration such as 500ms, 2s, 5m',
})

export const Wait = Type.Optional(
  Type.String({
    pattern: '^[0-9]{1,9}(ms|s|m|h)$',
    description: 'block until the job has ended, for at most this long (up to 60s)',
    examples: ['2s'],
  }),
)

export const DryRun = Type.Optional(
  Type.Boolean({ description: 'only say what would go: records, bytes, indexes', default: false }),
)

/** Headers of destructive calls. */
export const ConfirmHeaders = Type.Object({
  'x-confirm': Type.Optional(
    Type.String({ description: 'the name of what goes; required where TESSERA_ENVIRONMENT is production' }),
  ),
})

export const PageQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, description: 'most items in the answer' })),
    cursor: Type.Optional(Type.String({ maxLength: 512, description: "the previous page's cursor" })),
  },
  { additionalProperties: false },
)

/** A page of items: `truncated` says that more follow, `cursor` where they start. */
export function page<T extends TSchema>(item: T, title: string) {
  return Type.Object(
    {
      items: Type.Array(item),
      truncated: Type.Boolean(),
      cursor: Type.Optional(Type.String()),
      limit: Type.Integer(),
    },
    { title },
  )
}

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'where the code is explained', examples: ['/docs/errors#namespace_not_found'] }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String({ description: 'the path that was asked for' }),
    code: Type.String({ description: 'stable; listed in docs/errors.md' }),
    field: Type.Optional(Type.String({ description: 'the field at fault' })),
    retryable: Type.Boolean({ description: 'the same call may succeed later' }),
    requestId: Type.String(),
  },
  { title: 'Problem', description: 'RFC 9457' },
)
export type Problem = Static<typeof Problem>

export const DropReport = Type.Object(
  { records: Count, bytes: Bytes, indexes: Count },
  { title: 'DropReport', description: 'what went, or would go' },
)
export type DropReport = Static<typeof DropReport>

export const MemoryBytes = Type.Object(
  {
    primaryIndex: Bytes,
    setIndexes: Bytes,
    documentIndexes: Bytes,
    records: Bytes,
    buffers: Bytes,
    directory: Bytes,
    total: Bytes,
  },
  { title: 'MemoryBytes', description: 'memory by part' },
)
export type MemoryBytes = Static<typeof MemoryBytes>
