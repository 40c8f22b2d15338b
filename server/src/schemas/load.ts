// Import and export.
import { type Static, Type } from 'typebox'
import { Count, Threads } from './quantities.js'
import { choice, Name, SetChoice } from './words.js'
import { Reject } from './records.js'

/** How `types` of an import may name a column's type. */
export const columnTypes = ['auto', 'string', 'integer', 'double', 'boolean', 'json'] as const
export type ColumnType = (typeof columnTypes)[number]

export const ImportQuery = Type.Object(
  {
    set: Type.Optional(Name),
    format: Type.Optional(
      choice(['csv', 'ndjson', 'github-archive'], {
        description:
          'absent: read from Content-Type; github-archive: hourly files, by id, as the nine bins of the published events',
      }),
    ),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'column or dotted path that holds the key; absent: the field "key", else ascending integers',
      }),
    ),
    keyType: Type.Optional(choice(['string', 'integer', 'auto'])),
    threads: Type.Optional(Threads),
    columns: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 65_536,
        description: 'CSV: comma-separated names where there is no header line',
      }),
    ),
    header: Type.Optional(Type.Boolean({ description: 'CSV: the first line holds the names' })),
    types: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 65_536,
        description: 'comma-separated column:type, type one of auto, string, integer, double, boolean, json',
        examples: ['payload:json,repo_id:integer'],
      }),
    ),
    map: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 65_536,
        description:
          'comma-separated bin:source or bin:source:type: the bins of a record, each from a column, a field or a dotted path; others are left out. Without types',
        examples: ['event_id:id,repo_id:repo.id:integer,payload:payload'],
      }),
    ),
    distributionBin: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    mode: Type.Optional(choice(['upsert', 'insert'], { description: 'insert rejects keys that are there' })),
    dryRun: Type.Optional(Type.Boolean({ description: 'store nothing; answer the first 20 rows and the rejects' })),
    ttlSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
)
export type ImportQuery = Static<typeof ImportQuery>

export const ImportReport = Type.Object(
  {
    jobId: Type.String(),
    rows: Count,
    inserted: Count,
    updated: Count,
    rejectedTotal: Count,
    rejected: Type.Array(Reject, { description: 'the first 1000' }),
    bytes: Count,
    elapsedMs: Type.Number(),
    rowsPerSecond: Type.Number(),
    sample: Type.Optional(Type.String({ description: 'dry run: the first 20 rows as NDJSON, numbers exact' })),
  },
  { title: 'ImportReport' },
)
export type ImportReport = Static<typeof ImportReport>

export const ExportQuery = Type.Object(
  {
    set: Type.Optional(SetChoice),
    format: Type.Optional(choice(['ndjson', 'csv'])),
    columns: Type.Optional(
      Type.String({ minLength: 1, maxLength: 65_536, description: 'CSV: comma-separated bin names' }),
    ),
    where: Type.Optional(Type.String({ minLength: 1, maxLength: 65_536, description: 'a filter, as JSON text' })),
    threads: Type.Optional(Threads),
  },
  { additionalProperties: false },
)
export type ExportQuery = Static<typeof ExportQuery>
