// An export.
import { type Static, Type } from 'typebox'
import { Threads } from '../quantities.js'
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
