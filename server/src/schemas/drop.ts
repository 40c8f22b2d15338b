// Parameters and answers of destructive calls.
import { type Static, Type } from 'typebox'
import { bytes, count, flag, text, timestamp } from './quantities.js'

export const DryRun = Type.Optional(
  Type.Boolean({
    description: 'Delete nothing; answer what would go: records, index entries, bytes and indexes. Default: false.',
    default: false,
    examples: [true],
  }),
)

export const PlanOnly = Type.Optional(
  Type.Boolean({
    description: 'Change nothing; answer what would change and what that does. Default: false.',
    default: false,
    examples: [true],
  }),
)

export const ForGood = Type.Optional(
  Type.Boolean({
    description: 'Free memory and disks at once; it cannot be undone. Default: false.',
    default: false,
    examples: [true],
  }),
)

const confirmation = (when: string) =>
  Type.Object({
    'x-confirm': Type.Optional(
      Type.String({ description: `Name of what is to be deleted, as a confirmation. ${when}`, examples: ['events'] }),
    ),
  })

/** Headers of destructive calls. */
export const ConfirmHeaders = confirmation('Required if `TESSERA_ENVIRONMENT` is `production`.')

/** Headers of calls that need a confirmation on every server if they delete anything. */
export const ConfirmAlwaysHeaders = confirmation('Required on every server, if the call deletes or gives up data.')

export const DropReport = Type.Object(
  {
    records: count('Deleted records.'),
    entries: Type.Optional(count('Index entries that were deleted. Only if an index was dropped.')),
    bytes: bytes('Freed space'),
    indexes: count('Dropped indexes.'),
    undoable: Type.Optional(
      flag('Only in a dry run of a truncation. True if it could be undone for `undoSeconds` of the status.'),
    ),
    restorable: Type.Optional(
      Type.Object(
        { id: text('Id of the dropped namespace.'), until: timestamp('When it is removed for good') },
        { description: 'How to restore it: `POST /api/v1/dropped/{id}/restore`. Unset if it is gone for good.' },
      ),
    ),
  },
  {
    title: 'DropReport',
    description: 'What was deleted or, in a dry run, would be.',
    examples: [{ records: 0, bytes: 489_236, indexes: 1, entries: 66_244 }],
  },
)
export type DropReport = Static<typeof DropReport>
