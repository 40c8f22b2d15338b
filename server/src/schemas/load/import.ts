// An import and its report.
import { type Static, Type } from 'typebox'
import { importReport } from '../examples/jobs.js'
import { bytes, count, milliseconds, number, text, Threads } from '../quantities.js'
import { choice, list, SetName } from '../words.js'
import { ImportReject, RejectFile } from './rejects.js'

/** Column types in `types` of an import. */
export const columnTypes = ['auto', 'string', 'integer', 'double', 'boolean', 'json'] as const
export type ColumnType = (typeof columnTypes)[number]

export const ImportQuery = Type.Object(
  {
    set: Type.Optional({ ...SetName, description: 'Set to import into. Unset: records without a set.' }),
    format: Type.Optional(
      choice(['csv', 'ndjson', 'msgpack', 'github-archive'], {
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
    keepSets: Type.Optional(
      Type.Boolean({
        description:
          'An export: true if each record goes to the set that it names, and to `set` if it names none; false if all go ' +
          'to `set`. Default: true if `set` is unset.',
        examples: [true],
      }),
    ),
    keepExpiry: Type.Optional(
      Type.Boolean({
        description:
          'An export: true if each record keeps the rest of its time to live. Default: true, unless `ttlSeconds` is set.',
        examples: [false],
      }),
    ),
    keepGenerations: Type.Optional(
      Type.Boolean({
        description:
          'An export: true if each record gets the generation that it had; false if it gets a new one, as with any ' +
          'write. Default: false.',
        examples: [true],
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
      count(
        'NDJSON or MessagePack into a set with a distribution bin: rows without that bin. Their keys choose their segment.',
      ),
    ),
    bytes: bytes('Received data, before decompression'),
    elapsedMs: milliseconds('Time it took'),
    rowsPerSecond: number('Rows per second.'),
    sample: Type.Optional(text('Dry run only: the first 20 rows as NDJSON, with exact numbers.')),
  },
  { title: 'ImportReport', description: 'What an import did.', examples: [importReport] },
)
export type ImportReport = Static<typeof ImportReport>
