// Import and export.
import { type Static, Type } from 'typebox'
import { Count, Threads } from './quantities.js'
import { choice, Name, SetChoice } from './words.js'

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
    tag: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[0-9A-Za-z_.-]+$',
        description: "a name of the caller's own, which the job shows as `tag`: to find it before the answer comes",
      }),
    ),
  },
  { additionalProperties: false },
)
export type ImportQuery = Static<typeof ImportQuery>

/** A row as it was sent: text, or bytes that are no UTF-8. */
const RawRow = Type.Union([Type.String(), Type.Object({ $bytes: Type.String({ description: 'base64' }) })])

export const ImportReject = Type.Object(
  {
    line: Type.Integer({ description: 'where the row begins, counted from 1' }),
    code: Type.String(),
    message: Type.String(),
    field: Type.Optional(Type.String({ description: 'the column or field at fault' })),
    row: Type.Optional(Type.String({ description: "dry run: the row's beginning, at most 256 bytes" })),
  },
  { title: 'ImportReject', description: 'a row that was not taken' },
)

export const RejectFile = Type.Object(
  {
    rows: { ...Count, description: 'rejects in the file' },
    bytes: Count,
    cutShort: Type.Boolean({ description: 'true: it lacks rejects, which are counted all the same' }),
    reason: Type.Optional(
      choice(['size', 'storage'], {
        description: 'why it is cut short: it has its 256 MiB, or the disk of the data directory took no more',
      }),
    ),
  },
  { title: 'RejectFile', description: 'what GET /api/v1/jobs/{id}/rejects answers' },
)

export const ImportReport = Type.Object(
  {
    jobId: Type.String(),
    rows: Count,
    inserted: Count,
    updated: Count,
    rejectedTotal: Count,
    rejectedByCode: Type.Record(Type.String(), Count, { description: 'rejects by code: all of them' }),
    rejected: Type.Array(ImportReject, { description: 'the first 1000 by line; of a dry run the first 20' }),
    rejectFile: Type.Optional(RejectFile),
    withoutRoute: Type.Optional({
      ...Count,
      description: 'NDJSON into a set with a distribution bin: rows without that bin, which are placed by their keys',
    }),
    bytes: { ...Count, description: 'as they arrived, before unpacking' },
    elapsedMs: Type.Number(),
    rowsPerSecond: Type.Number(),
    sample: Type.Optional(Type.String({ description: 'dry run: the first 20 rows as NDJSON, numbers exact' })),
  },
  { title: 'ImportReport' },
)
export type ImportReport = Static<typeof ImportReport>

export const ImportProgress = Type.Object(
  {
    jobId: Type.String(),
    namespace: Type.String(),
    set: Type.Optional(Type.String()),
    state: choice(['uploading', 'waiting', 'interrupted'], {
      description:
        'uploading: a request is sending; waiting: the upload broke off, and goes on at receivedBytes; ' +
        'interrupted: the server was stopped meanwhile, so that the stream is to be sent again from byte 0, and what was stored is passed over',
    }),
    receivedBytes: { ...Count, description: 'of the stream as it is sent, before unpacking: where a PUT goes on' },
    storedRows: { ...Count, description: 'inserted and updated so far' },
    totalBytes: Type.Optional({ ...Count, description: 'where the Content-Length of the upload said so' }),
    waitsUntil: Type.Optional(
      Type.String({ format: 'date-time', description: 'waiting: when it is given up (TESSERA_IMPORT_PATIENCE)' }),
    ),
  },
  { title: 'ImportProgress' },
)
export type ImportProgress = Static<typeof ImportProgress>

export const ImportOffset = Type.Object(
  {
    offset: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'receivedBytes of GET /api/v1/imports/{jobId}: the byte of the stream that the body begins with',
    }),
  },
  { additionalProperties: false },
)

/** A line of `imports/<jobId>.rejects.ndjson`. */
export const RejectedRow = Type.Object(
  {
    line: Type.Integer({ description: 'where the row begins, counted from 1' }),
    code: Type.String(),
    message: Type.String(),
    field: Type.Optional(Type.String()),
    row: Type.Optional(RawRow),
    cut: Type.Optional(Type.Literal(true, { description: 'row has only the first 64 KiB' })),
  },
  { title: 'RejectedRow' },
)

export const RejectsQuery = Type.Object(
  {
    form: Type.Optional(
      choice(['lines', 'rows'], {
        description:
          'lines: one object a reject, as NDJSON; rows: the rows as they were sent, below the header of a CSV file that has one, ' +
          'to be mended and loaded again, without those of more than 64 KiB',
        default: 'lines',
      }),
    ),
  },
  { additionalProperties: false },
)

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
