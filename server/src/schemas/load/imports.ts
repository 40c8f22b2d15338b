// Uploads, and how far they are.
import { type Static, Type } from 'typebox'
import { bytes, count, text } from '../quantities.js'
import { choice } from '../words.js'

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
