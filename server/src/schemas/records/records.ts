// Record bodies pass through as bytes: these schemas document them, the core validates them.
import { type Static, Type } from 'typebox'
import { record } from '../examples/jobs.js'
import { NextCursor, Truncated } from '../pages.js'
import { flag, text } from '../quantities.js'
import { choice } from '../words.js'

export const KeyType = choice(['string', 'integer', 'bytes', 'digest'], {
  description:
    'How to read the key in the path. `bytes`: URL-safe base64. `digest`: 40 hex digits or URL-safe base64. ' +
    'Default: `string`.',
  default: 'string',
  examples: ['integer'],
})
export type KeyType = Static<typeof KeyType>

export const FromType = choice(['string', 'integer', 'bytes'], {
  description: 'How to read `from`. `bytes`: URL-safe base64. Default: `string`.',
  default: 'string',
  examples: ['integer'],
})

export const Bins = Type.Record(Type.String(), Type.Unknown(), {
  title: 'Bins',
  description:
    'Values by bin name. Bytes are `{"$bytes": "<base64>"}`. Integers are exact in 64 bits. In a `PATCH`, null deletes a bin.',
  examples: [{ name: 'Ada', visits: 42, tags: ['a', 'b'] }],
})

export const BinNames = Type.Optional(
  Type.String({
    description: 'Comma-separated names of the bins to read. Empty: none, only metadata. Unset: all.',
    examples: ['name,visits'],
  }),
)

const digest = text('Digest of the key, 40 hex digits.')
const generation = Type.Integer({ description: 'Version of the record. Each write increases it.' })

export const DataRecord = Type.Object(
  {
    set: text('Name of the set. Empty: a record without a set.'),
    key: Type.Optional(
      Type.Unknown({
        description: 'The key: a string, an integer, or `{"bytes": "<base64>"}`. Unset if only the digest is known.',
      }),
    ),
    digest,
    generation,
    expiresAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When it expires, as RFC 3339 in UTC. null: never.',
    }),
    updatedAt: Type.String({ format: 'date-time', description: 'When it was last written, as RFC 3339 in UTC.' }),
    bins: Bins,
  },
  { title: 'DataRecord', description: 'A record with its metadata.', examples: [record] },
)

/** Only in a query that unnests a list. */
export const DataRow = Type.Intersect([
  DataRecord,
  Type.Object({
    item: Type.Optional(Type.Integer({ description: 'Only with `unnest`: position of the item in its list, from 0.' })),
  }),
])

/** Stands in for a record with a damaged body, so that the other records can be answered. */
export const DamagedRecord = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.Literal('record_damaged', { description: 'Always `record_damaged`.' }),
        message: text('What is damaged.'),
        set: text('Set of the record.'),
        digest,
      },
      { description: 'What is wrong with the record.' },
    ),
  },
  { title: 'DamagedRecord', description: 'Stands in for a record whose body is damaged.' },
)

export const RecordOrDamage = Type.Union([DataRecord, DamagedRecord])

export const RecordPage = Type.Object(
  {
    items: Type.Array(RecordOrDamage, { description: 'The records of this page.' }),
    truncated: Truncated,
    cursor: NextCursor,
    limit: Type.Integer({ description: 'The page size that was applied.' }),
  },
  {
    title: 'RecordPage',
    description: 'A page of records.',
    examples: [{ items: [record], truncated: false, limit: 100 }],
  },
)

export const WriteResult = Type.Object(
  {
    created: flag('True if the record is new.'),
    generation,
    digest,
  },
  {
    title: 'WriteResult',
    description: 'What a write did.',
    examples: [{ created: true, generation: 1, digest: 'b7981222b74b46ad1fb33a25149df1f0b7c7cd02' }],
  },
)
export type WriteResult = Static<typeof WriteResult>

export const Reject = Type.Object(
  {
    line: Type.Integer({ description: 'Line in the body, counted from 1.' }),
    code: text('Error code, listed in docs/errors.md.'),
    message: text('Why the line was rejected.'),
    field: Type.Optional(text('The field at fault.')),
  },
  { title: 'Reject', description: 'A rejected line of a batch.' },
)

export const BatchReport = Type.Object(
  {
    written: Type.Integer({ description: 'Records written.' }),
    deleted: Type.Integer({ description: 'Records deleted.' }),
    rejected: Type.Array(Reject, { description: 'Rejected lines.' }),
    rejectedTotal: Type.Integer({ description: 'Number of rejected lines.' }),
  },
  {
    title: 'BatchReport',
    description: 'What a batch did.',
    examples: [
      {
        written: 2,
        deleted: 0,
        rejected: [{ line: 4, code: 'key_missing', message: 'a line needs a key', field: 'key' }],
        rejectedTotal: 1,
      },
    ],
  },
)
export type BatchReport = Static<typeof BatchReport>
