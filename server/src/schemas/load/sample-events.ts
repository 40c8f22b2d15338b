// Sample data.
import { Type } from 'typebox'
import { choice } from '../words.js'

/** Most rows of one answer: about 20 GB. */
const ROWS_MAX = 10_000_000
/** Rows are numbered below this. */
const FIRST_MAX = 1_000_000_000

const whole = (maximum: number, description: string, example: number) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description, examples: [example] }))

export const SampleEventsQuery = Type.Object(
  {
    rows: whole(ROWS_MAX, 'Number of rows, about 2 KB each. Default: 1000.', 10_000),
    first: whole(FIRST_MAX, 'Number of the first row. Default: 0.', 5000),
    seed: whole(Number.MAX_SAFE_INTEGER, 'The same seed gives the same events. Default: 1.', 7),
    format: Type.Optional(
      choice(['csv', 'ndjson'], {
        description:
          "`csv`: PostgreSQL's dialect with a header and the columns of the published measurement. " +
          "`ndjson`: like the Archive's hourly files. Default: `csv`.",
        examples: ['ndjson'],
      }),
    ),
  },
  { additionalProperties: false },
)
