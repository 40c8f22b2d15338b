// State, recovery progress and recovery report of a namespace.
import { Type } from 'typebox'
import { bytes, count, seconds, text, timestamp } from '../quantities.js'
import { choice } from '../words.js'

export const NamespaceState = choice(['recovering', 'ready', 'read-only', 'poisoned', 'failed'], {
  description:
    'State of the namespace. `recovering`: its device is being read. ' +
    '`read-only`: the device refuses writes for now; the server keeps trying. ' +
    '`poisoned`: a failure stopped its writes until the next start. ' +
    '`failed`: it could not be opened; its files are left unchanged.',
})

export const RecoveryProgress = Type.Object(
  {
    namespace: text('Name of the namespace.'),
    phase: choice(['reading', 'indexing'], {
      description: '`reading`: its device is read. `indexing`: its document and range indexes are merged after that.',
    }),
    doneBytes: bytes('Data read so far'),
    totalBytes: bytes('Data to read'),
  },
  { title: 'RecoveryProgress', description: 'How far the recovery of a namespace is.' },
)

export const AcceptedLoss = Type.Object(
  {
    at: timestamp('When it was accepted'),
    code: text('`log_damaged`, `data_rolled_back` or `record_damaged`.'),
    message: text('What was lost, and the evidence.'),
  },
  { title: 'AcceptedLoss', description: 'Acknowledged data that was gone and was accepted as lost.' },
)

export const ReopenRequest = Type.Object(
  {
    acceptLoss: Type.Optional(
      Type.Boolean({
        description:
          'Open the namespace with what is left, if it failed with `log_damaged`, `data_rolled_back` or ' +
          '`record_damaged`. The namespace keeps a list of such losses. Default: false.',
      }),
    ),
  },
  {
    title: 'ReopenRequest',
    description: 'How to open the namespace.',
    additionalProperties: false,
    examples: [{ acceptLoss: true }],
  },
)

export const Recovery = Type.Object(
  {
    start: choice(['warm', 'cold'], {
      description:
        '`warm`: the index was loaded from the snapshot of the last orderly close. ' +
        '`cold`: the index was rebuilt from all records; in a paged namespace, the log was replayed.',
    }),
    reason: Type.Optional(text('Why the start was cold.')),
    records: count('Records in the snapshot, or copies of records found on the device.'),
    tombstones: count('Tombstones found.'),
    blocks: count('Write blocks read; in a paged namespace, log records replayed.'),
    bytesRead: bytes('Data read from the device; in a paged namespace, from its log'),
    seconds: seconds('Duration'),
    torn: count('Writes that a crash cut short. They were never acknowledged.'),
    damaged: count('Damaged places.'),
    damage: Type.Array(
      Type.Object({
        offset: Type.Integer({ description: 'Offset in the data file, in bytes.' }),
        reason: text('What is wrong there.'),
      }),
      { description: 'The first 1,000 damaged places.' },
    ),
    indexes: Type.Object(
      {
        loaded: count('Indexes loaded from the snapshot.'),
        rebuilt: count(
          'Indexes rebuilt from the records, during recovery or by a job after it. A paged namespace always uses a job.',
        ),
      },
      { description: 'Document and range indexes.' },
    ),
  },
  { title: 'Recovery', description: 'What recovery found when the namespace was opened.' },
)
