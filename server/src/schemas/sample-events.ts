// Sample data.
import { Type } from 'typebox'
import { choice } from './words.js'

/** Most rows of one answer: about 20 GB. */
const ROWS_MAX = 10_000_000
/** Rows are numbered below this. */
const FIRST_MAX = 1_000_000_000

export const SampleEventsQuery = Type.Object(
  {
    rows: Type.Optional(Type.Integer({ minimum: 0, maximum: ROWS_MAX, description: '1000 unless given' })),
    first: Type.Optional(
      Type.Integer({ minimum: 0, maximum: FIRST_MAX, description: 'number of the first row; 0 unless given' }),
    ),
    seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'the same seed gives the same events; 1 unless given',
      }),
    ),
    format: Type.Optional(
      choice(['csv', 'ndjson'], {
        description:
          "csv: PostgreSQL's dialect with a header, the columns of the published measurement; ndjson: as the Archive's hourly files. csv unless given",
      }),
    ),
  },
  { additionalProperties: false },
)
