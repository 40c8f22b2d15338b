// How a namespace came up: its state, how far its recovery is, what recovery found.
import { Type } from 'typebox'
import { Bytes, Count, Timestamp } from './quantities.js'
import { choice } from './words.js'

export const NamespaceState = choice(['recovering', 'ready', 'read-only', 'poisoned', 'failed'], {
  description:
    'recovering: its device is being read; read-only: the device refuses writes for now, and is tried again; poisoned: a failure stopped its writes until the next start; failed: it could not be opened, and its files are left as they are',
})

export const RecoveryProgress = Type.Object(
  {
    namespace: Type.String(),
    phase: choice(['reading', 'indexing'], {
      description: 'reading: its device; indexing: its document and range indexes are merged after that',
    }),
    doneBytes: Bytes,
    totalBytes: Bytes,
  },
  { title: 'RecoveryProgress' },
)

export const AcceptedLoss = Type.Object(
  {
    at: { ...Timestamp, description: 'when it was accepted' },
    code: Type.String({ description: 'log_damaged, data_rolled_back or record_damaged' }),
    message: Type.String({ description: 'what was lost, and the evidence' }),
  },
  { title: 'AcceptedLoss', description: 'acknowledged data that was gone, and was accepted as lost' },
)

export const ReopenRequest = Type.Object(
  {
    acceptLoss: Type.Optional(
      Type.Boolean({
        description:
          'open a namespace that failed with log_damaged, data_rolled_back or record_damaged with what is left; the losses stay listed in the namespace',
      }),
    ),
  },
  { title: 'ReopenRequest', additionalProperties: false, examples: [{ acceptLoss: true }] },
)

export const Recovery = Type.Object(
  {
    start: choice(['warm', 'cold'], {
      description:
        'warm: the index came from the snapshot of the last orderly close; cold: from all the records, or in a paged namespace from its pages, after the log was done again',
    }),
    reason: Type.Optional(Type.String({ description: 'why it was a cold start' })),
    records: { ...Count, description: 'records in the snapshot, or copies of records on the device' },
    tombstones: Count,
    blocks: {
      ...Count,
      description: 'write blocks read; of a paged namespace records of the log that were done again',
    },
    bytesRead: { ...Bytes, description: 'of the device; of a paged namespace of its log' },
    seconds: Type.Number(),
    torn: { ...Count, description: 'writes that a crash cut short; they were never acknowledged' },
    damaged: { ...Count, description: 'damaged places' },
    damage: Type.Array(Type.Object({ offset: Type.Integer(), reason: Type.String() }), {
      description: 'the first damaged places, at most 1,000: offset in the data file, and what is wrong there',
    }),
    indexes: Type.Object(
      {
        loaded: { ...Count, description: 'from the snapshot' },
        rebuilt: {
          ...Count,
          description:
            'from the records: as they were read, or by a job after the start (of a paged namespace always by a job)',
        },
      },
      { description: 'document and range indexes' },
    ),
  },
  {
    title: 'Recovery',
    description: 'what reading the device, or the log and the slot maps of pages, found when the namespace was opened',
  },
)
