// Truncations that can be undone.
import { type Static, Type } from 'typebox'
import { page } from '../pages.js'
import { bytes, count, text, timestamp } from '../quantities.js'
import { JobId } from '../words.js'

export const TruncationId = { ...JobId, description: 'Id of the truncation. Its job has the same.' }

export const Truncation = Type.Object(
  {
    id: TruncationId,
    set: Type.Optional(text('Name of the set. Unset: the whole namespace.')),
    before: timestamp(
      'Records that were changed before this moment are hidden: the `before` of the truncation, or its time',
    ),
    truncatedAt: timestamp('When it hid the records'),
    until: timestamp('When it is final, and they are removed'),
    records: count(
      'Records that it hides, without those that another truncation hid before. Some may have been written again since.',
    ),
    bytes: bytes('Size of these records'),
  },
  {
    title: 'Truncation',
    description: 'A truncation that can be undone.',
    examples: [
      {
        id: '001m872xz2100',
        set: 'events',
        before: '2026-01-31T12:00:00.000Z',
        truncatedAt: '2026-01-31T12:00:00.000Z',
        until: '2026-01-31T12:10:00.000Z',
        records: 66_244,
        bytes: 4_338_240,
      },
    ],
  },
)
export type Truncation = Static<typeof Truncation>

export const TruncationPage = page(Truncation, 'TruncationPage', 'truncations that can be undone')
