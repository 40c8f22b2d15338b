// What a destructive call takes, and what it says.
import { type Static, Type } from 'typebox'
import { Bytes, Count } from './quantities.js'

export const DryRun = Type.Optional(
  Type.Boolean({ description: 'only say what would go: records, entries, bytes, indexes', default: false }),
)

/** Headers of destructive calls. */
export const ConfirmHeaders = Type.Object({
  'x-confirm': Type.Optional(
    Type.String({ description: 'the name of what goes; required where TESSERA_ENVIRONMENT is production' }),
  ),
})

/** Headers of calls that want a confirmation on every instance, if they destroy anything. */
export const ConfirmAlwaysHeaders = Type.Object({
  'x-confirm': Type.Optional(Type.String({ description: 'the name of what goes; required on every instance' })),
})

export const DropReport = Type.Object(
  {
    records: Count,
    entries: Type.Optional({ ...Count, description: 'of the index that goes' }),
    bytes: Bytes,
    indexes: Count,
  },
  { title: 'DropReport', description: 'what went, or would go' },
)
export type DropReport = Static<typeof DropReport>
