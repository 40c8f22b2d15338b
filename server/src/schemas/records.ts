// Record bodies pass through as bytes: these schemas document them, the core validates them.
import { type Static, Type } from 'typebox'
import { choice } from './words.js'

export const KeyType = choice(['string', 'integer', 'bytes', 'digest'], {
  description: 'how to read {key}: bytes and digest are URL-safe base64, or a digest of 40 hex digits',
  default: 'string',
})
export type KeyType = Static<typeof KeyType>

export const FromType = choice(['string', 'integer', 'bytes'], {
  description: 'how to read ?from=: bytes are URL-safe base64',
  default: 'string',
})

export const Bins = Type.Record(Type.String(), Type.Unknown(), {
  title: 'Bins',
  description: 'bin name to value; bytes are {"$bytes": "<base64>"}; integers are 64 bits wide and exact',
  examples: [{ name: 'Ada', visits: 42, tags: ['a', 'b'] }],
})

export const BinNames = Type.Optional(Type.String({ description: 'comma-separated names; absent = all, empty = none' }))

export const DataRecord = Type.Object(
  {
    set: Type.String(),
    key: Type.Optional(Type.Unknown({ description: 'string, integer, or {"bytes": "<base64>"}' })),
    digest: Type.String({ description: '40 hex digits' }),
    generation: Type.Integer(),
    expiresAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    updatedAt: Type.String({ format: 'date-time' }),
    bins: Bins,
  },
  { title: 'DataRecord' },
)

/** Of a query that unnests a list. */
export const DataRow = Type.Intersect([
  DataRecord,
  Type.Object({ item: Type.Optional(Type.Integer({ description: 'place of the item in its list, from 0' })) }),
])

/** What stands for a record whose body is damaged: the others are answered. */
export const DamagedRecord = Type.Object(
  {
    error: Type.Object({
      code: Type.Literal('record_damaged'),
      message: Type.String(),
      set: Type.String(),
      digest: Type.String(),
    }),
  },
  { title: 'DamagedRecord' },
)

export const RecordOrDamage = Type.Union([DataRecord, DamagedRecord])

export const RecordPage = Type.Object(
  {
    items: Type.Array(RecordOrDamage),
    truncated: Type.Boolean(),
    cursor: Type.Optional(Type.String()),
    limit: Type.Integer(),
  },
  { title: 'RecordPage' },
)

export const WriteResult = Type.Object(
  { created: Type.Boolean(), generation: Type.Integer(), digest: Type.String() },
  { title: 'WriteResult' },
)
export type WriteResult = Static<typeof WriteResult>

export const Reject = Type.Object(
  {
    line: Type.Integer({ description: 'counted from 1' }),
    code: Type.String(),
    message: Type.String(),
    field: Type.Optional(Type.String()),
  },
  { title: 'Reject', description: 'a line that was not taken' },
)

export const BatchReport = Type.Object(
  {
    written: Type.Integer(),
    deleted: Type.Integer(),
    rejected: Type.Array(Reject),
    rejectedTotal: Type.Integer(),
  },
  { title: 'BatchReport' },
)
export type BatchReport = Static<typeof BatchReport>
