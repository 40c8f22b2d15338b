// Import and export.
import { type Static, Type } from 'typebox'
import { importReport, reject } from './examples/jobs.js'
import { count, bytes, flag, milliseconds, number, text, Threads } from './quantities.js'
import { choice, SetChoice, SetName } from './words.js'

/** Column types in `types` of an import. */
export const columnTypes = ['auto', 'string', 'integer', 'double', 'boolean', 'json'] as const
export type ColumnType = (typeof columnTypes)[number]

const list = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 65_536, description, examples: [example] })

export const ImportQuery = Type.Object(
  {
    set: Type.Optional({ ...SetName, description: 'Set to import into. Unset: records without a set.' }),
    format: Type.Optional(
      choice(['csv', 'ndjson', 'github-archive'], {
        description:
          'Format of the body. `github-archive`: hourly files, keyed by id, as nine bins. Unset: taken from `Content-Type`.',
        examples: ['csv'],
      }),
    ),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Column or dotted path that holds the key. Unset: the field `key`, or else the number of the row.',
        examples: ['event_id'],
      }),
    ),
    keyType: Type.Optional(
      choice(['string', 'integer', 'auto'], {
        description:
          'Type of the key. `string` and `integer` convert the value; `auto` takes it unchanged. Default: `auto`.',
        examples: ['integer'],
      }),
    ),
    threads: Type.Optional(Threads),
    columns: Type.Optional(
      list('CSV without a header line: comma-separated column names.', 'event_id,event_type,payload'),
    ),
    header: Type.Optional(
      Type.Boolean({
        description: 'CSV: true if the first line holds the column names. Default: true, unless `columns` is set.',
        examples: [false],
      }),
    ),
    types: Type.Optional(
      list(
        `Comma-separated \`column:type\` pairs. A type is one of ${columnTypes.join(', ')}.`,
        'payload:json,repo_id:integer',
      ),
    ),
    map: Type.Optional(
      list(
        'Comma-separated `bin:source` or `bin:source:type`: the bins of a record, each from a column, field or dotted path. ' +
          'Other columns are skipped. Not together with `types`.',
        'event_id:id,repo_id:repo.id:integer,payload:payload',
      ),
    ),
    distributionBin: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'Bin that distributes the records over segments. A new set gets it; a set with another one refuses. Unset: that of the set.',
        examples: ['repo_id'],
      }),
    ),
    mode: Type.Optional(
      choice(['upsert', 'insert'], {
        description:
          '`upsert` replaces existing records; `insert` rejects rows whose record exists. Default: `upsert`.',
        examples: ['insert'],
      }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({
        description: 'Store nothing; answer the first 20 rows and the rejects. Default: false.',
        examples: [true],
      }),
    ),
    ttlSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "Time to live of the records, in seconds. 0 or unset: the namespace's default.",
        examples: [86_400],
      }),
    ),
    tag: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[0-9A-Za-z_.-]+$',
        description:
          'A name you choose. The job shows it as `tag`, so that you can find the job before the answer comes.',
        examples: ['nightly-2026-01-31'],
      }),
    ),
  },
  { additionalProperties: false },
)
export type ImportQuery = Static<typeof ImportQuery>

/** A row as it was sent: text, or bytes that are not UTF-8. */
const RawRow = Type.Union([Type.String(), Type.Object({ $bytes: text('The bytes, in base64.') })], {
  description: 'The row as it was sent: text or, if it is not UTF-8, `{"$bytes": "<base64>"}`.',
})

const line = Type.Integer({ description: 'Line on which the row begins, counted from 1.' })
const code = text('Error code, listed in docs/errors.md.')
const message = text('Why the row was rejected.')
const field = Type.Optional(text('The column or field at fault.'))

export const ImportReject = Type.Object(
  {
    line,
    code,
    message,
    field,
    row: Type.Optional(text('Dry run only: the first 256 bytes of the row.')),
  },
  { title: 'ImportReject', description: 'A rejected row.' },
)

export const RejectFile = Type.Object(
  {
    rows: count('Rejects in the file.'),
    bytes: bytes('Size of the file'),
    cutShort: flag('True if the file lacks some rejects. They are still counted.'),
    reason: Type.Optional(
      choice(['size', 'storage'], {
        description:
          'Why it is cut short. `size`: it reached 256 MiB. `storage`: the disk of the data directory refused more.',
      }),
    ),
  },
  { title: 'RejectFile', description: 'The file that `GET /api/v1/jobs/{id}/rejects` answers.' },
)

export const ImportReport = Type.Object(
  {
    jobId: text('Id of the job.'),
    rows: count('Rows read.'),
    inserted: count('Records that are new.'),
    updated: count('Records that were replaced.'),
    rejectedTotal: count('Rejected rows.'),
    rejectedByCode: Type.Record(Type.String(), count('Rejected rows.'), {
      description: 'Rejected rows by error code. It counts all of them.',
    }),
    rejected: Type.Array(ImportReject, {
      description: 'The first 1,000 rejected rows by line; in a dry run the first 20.',
    }),
    rejectFile: Type.Optional(RejectFile),
    withoutRoute: Type.Optional(
      count('NDJSON into a set with a distribution bin: rows without that bin. Their keys choose their segment.'),
    ),
    bytes: bytes('Received data, before decompression'),
    elapsedMs: milliseconds('Time it took'),
    rowsPerSecond: number('Rows per second.'),
    sample: Type.Optional(text('Dry run only: the first 20 rows as NDJSON, with exact numbers.')),
  },
  { title: 'ImportReport', description: 'What an import did.', examples: [importReport] },
)
export type ImportReport = Static<typeof ImportReport>

export const ImportProgress = Type.Object(
  {
    jobId: text('Id of the job.'),
    namespace: text('Name of the namespace.'),
    set: Type.Optional(text('Name of the set.')),
    state: choice(['uploading', 'waiting', 'interrupted'], {
      description:
        '`uploading`: a request is sending. `waiting`: the upload broke off; continue at `receivedBytes`. ' +
        '`interrupted`: the server stopped meanwhile; send the stream again from byte 0. Stored rows are skipped.',
    }),
    receivedBytes: bytes('Received data, before decompression', 'A `PUT` continues here.'),
    storedRows: count('Rows inserted and updated so far.'),
    totalBytes: Type.Optional(bytes('Size of the upload', 'Unset if it had no `Content-Length`.')),
    waitsUntil: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When a waiting upload is given up, as RFC 3339 in UTC; see `TESSERA_IMPORT_PATIENCE`. Only if `waiting`.',
      }),
    ),
  },
  {
    title: 'ImportProgress',
    description: 'How far an upload is.',
    examples: [
      {
        jobId: '001m872xz1900',
        namespace: 'shop',
        set: 'events',
        state: 'waiting',
        receivedBytes: 52_428_800,
        storedRows: 24_150,
        totalBytes: 104_857_600,
        waitsUntil: '2026-01-31T12:10:00.000Z',
      },
    ],
  },
)
export type ImportProgress = Static<typeof ImportProgress>

export const ImportOffset = Type.Object(
  {
    offset: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Byte of the stream at which the body begins: `receivedBytes` of `GET /api/v1/imports/{jobId}`.',
      examples: [52_428_800],
    }),
  },
  { additionalProperties: false },
)

/** A line of `imports/<jobId>.rejects.ndjson`. */
export const RejectedRow = Type.Object(
  {
    line,
    code,
    message,
    field,
    row: Type.Optional(RawRow),
    cut: Type.Optional(Type.Literal(true, { description: '`row` has only the first 64 KiB.' })),
  },
  { title: 'RejectedRow', description: 'A rejected row of an import.', examples: [reject] },
)

export const RejectsQuery = Type.Object(
  {
    form: Type.Optional(
      choice(['lines', 'rows'], {
        description:
          '`lines`: one JSON object per reject, as NDJSON. `rows`: the rejected rows as you sent them, so that you can ' +
          'repair and import them again; rows over 64 KiB are left out. Default: `lines`.',
        default: 'lines',
        examples: ['rows'],
      }),
    ),
  },
  { additionalProperties: false },
)

export const ExportQuery = Type.Object(
  {
    set: Type.Optional(SetChoice),
    format: Type.Optional(
      choice(['ndjson', 'csv'], { description: 'Format of the file. Default: `ndjson`.', examples: ['csv'] }),
    ),
    columns: Type.Optional(list('CSV: comma-separated bin names, in the order of the columns.', 'event_type,repo_id')),
    where: Type.Optional(
      list(
        'Export only matching records: a filter as JSON text.',
        '{"bin":"event_type","op":"eq","value":"PushEvent"}',
      ),
    ),
    threads: Type.Optional(Threads),
  },
  { additionalProperties: false },
)
export type ExportQuery = Static<typeof ExportQuery>
