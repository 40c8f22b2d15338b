// Rows that an import rejects.
import { Type } from 'typebox'
import { reject } from '../examples/jobs.js'
import { bytes, count, flag, text } from '../quantities.js'
import { choice } from '../words.js'

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
