// An export.
import { type Static, Type } from 'typebox'
import { Threads } from '../quantities.js'
import { FromType } from '../records/records.js'
import { choice, list, SetChoice } from '../words.js'

export const ExportQuery = Type.Object(
  {
    set: Type.Optional(SetChoice),
    format: Type.Optional(
      choice(['ndjson', 'csv', 'msgpack'], {
        description: 'Format of the file. Default: `ndjson`.',
        examples: ['csv'],
      }),
    ),
    columns: Type.Optional(list('CSV: comma-separated bin names, in the order of the columns.', 'event_type,repo_id')),
    metadata: Type.Optional(
      Type.Boolean({
        description:
          'CSV: true if columns for the set, the generation, the expiry and the bins without a column of their own ' +
          'come before the bins. An import then reads the same records. Default: true if `set` is unset.',
        examples: [true],
      }),
    ),
    otherBins: Type.Optional(
      Type.Boolean({
        description:
          'CSV with metadata: true if `$otherBins` has the bins without a column. Default: true if `columns` is unset.',
        examples: [true],
      }),
    ),
    resumable: Type.Optional(
      Type.Boolean({
        description:
          'True if the records come in an order, so that `after` or `afterKey` can resume an export that broke off. ' +
          'On a device this takes longer. Default: false, or true with `after` or `afterKey`.',
        examples: [true],
      }),
    ),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Resumes behind the record with this digest: that of the last whole row you have. The record may be gone.',
        examples: ['1c5cbb63e3eb2f6e0a2e2a0d6e5a7d6f7f7c2a10'],
      }),
    ),
    afterKey: Type.Optional(
      Type.String({
        maxLength: 16_384,
        description:
          'In place of `after`, for CSV, whose rows have no digest: the key of the last whole row, read as `keytype` says.',
        examples: ['ada'],
      }),
    ),
    keytype: Type.Optional({
      ...FromType,
      description: 'How to read `afterKey`. `bytes`: URL-safe base64. Default: `string`.',
    }),
    afterSet: Type.Optional({
      ...SetChoice,
      description: 'Set of the record with `afterKey`. Empty: no set. Default: `set`, or no set.',
    }),
    exportId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'With `after` or `afterKey`: the `X-Export-Id` of the export that broke off. If it was another namespace ' +
          'of this name, or had another order, the answer is `cursor_invalid`. Unset: not checked.',
        examples: ['9f1c2b7a5d3e4f60718293a4b5c6d7e8-digests'],
      }),
    ),
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
