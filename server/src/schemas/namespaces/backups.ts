// Backups: what is listed of one, and how one is made and restored.
import { type Static, Type } from 'typebox'
import { backup } from '../examples/backups.js'
import { page } from '../pages.js'
import { bytes, count, RecordsPerSecond, text, timestamp } from '../quantities.js'
import { choice, NamespaceName } from '../words.js'
import { NamespaceConfig, StorageConfig } from './namespaces.js'

export const BackupId = Type.String({
  pattern: '^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}$',
  description: 'Id of the backup: when it was begun, in UTC, and eight hexadecimal digits.',
  examples: ['20261124T153528Z-9f86d081'],
})

const pace = {
  threads: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 128, description: 'Worker threads, 1 to 128. Default: 2.', examples: [2] }),
  ),
  recordsPerSecond: Type.Optional(RecordsPerSecond),
}

const target = Type.Optional({
  ...NamespaceName,
  description: 'Name of a bucket that the operator has described. Unset: the backup directory.',
  examples: ['offsite'],
})

/** Where the backups are that a request is about. */
export const BackupTarget = { target }

export const BackupRequest = Type.Object(
  {
    target,
    base: Type.Optional({
      ...BackupId,
      description: 'The complete backup that the new one builds on. Unset: a full backup.',
    }),
    ...pace,
  },
  {
    title: 'BackupRequest',
    description: 'What the backup has. With `base`, it has the bodies of the records that changed since then.',
    additionalProperties: false,
    examples: [{ recordsPerSecond: 50_000 }],
  },
)
export type BackupRequest = Static<typeof BackupRequest>

export const BackupPace = Type.Object(pace, {
  title: 'BackupPace',
  description: 'How fast a backup goes on.',
  additionalProperties: false,
  examples: [{ recordsPerSecond: 50_000 }],
})
export type BackupPace = Static<typeof BackupPace>

export const VerifyRequest = Type.Object(
  { threads: pace.threads },
  {
    title: 'VerifyRequest',
    description: 'How fast the backup is read.',
    additionalProperties: false,
    examples: [{ threads: 4 }],
  },
)
export type VerifyRequest = Static<typeof VerifyRequest>

const { segments, container, durability } = NamespaceConfig.properties

export const RestoreRequest = Type.Object(
  {
    namespace: NamespaceName,
    storage: Type.Optional(StorageConfig),
    segments: Type.Optional({ ...segments, description: 'Number of segments. Only with `storage`. Default: 256.' }),
    container: Type.Optional({ ...container, description: 'The container. Only with `storage`.' }),
    durability: Type.Optional({ ...durability, description: 'The durability. Only with `storage`.' }),
    merge: Type.Optional(
      Type.Boolean({
        description:
          'True: write into a namespace that has records. Those of the backup take the place of records with the same ' +
          'keys, and the others stay. Default: false.',
      }),
    ),
    ...pace,
  },
  {
    title: 'RestoreRequest',
    description:
      'Where the backup goes. A namespace that does not exist is made, stored as the one that was backed up, or as ' +
      '`storage` says. One that exists must be empty, unless `merge` is true.',
    additionalProperties: false,
    examples: [{ namespace: 'orders-restored', storage: { engine: 'memory' } }],
  },
)
export type RestoreRequest = Static<typeof RestoreRequest>

export const BackupState = choice(['complete', 'unfinished', 'damaged'], {
  description:
    'State. `unfinished`: it is being made, or was cut off: resume it. `damaged`: its manifest or plan cannot be read. ' +
    'A `complete` backup has all its parts; `verifyBackup` says whether they are whole.',
  examples: ['complete'],
})

export const Backup = Type.Object(
  {
    id: BackupId,
    state: BackupState,
    namespace: Type.Optional(text('Name of the namespace. Unset if the plan cannot be read.')),
    namespaceId: Type.Optional(text('Id of the namespace that it was made of.')),
    config: Type.Optional(NamespaceConfig),
    base: Type.Optional(text('The backup that it builds on. Unset: it is a full one.')),
    createdAt: Type.Optional(timestamp('When it was begun')),
    endedAt: Type.Optional(timestamp('When it came to its end')),
    pointFrom: Type.Optional(timestamp('Point of restore: the earliest moment of a segment')),
    pointTo: Type.Optional(timestamp('Point of restore: the latest moment of a segment')),
    records: Type.Optional(count('Records that a restore brings, as the namespace counted them.')),
    bodies: Type.Optional(count('Records whose bodies are in this backup. The others are in its bases.')),
    bytes: Type.Optional(bytes('Size of its files')),
    damaged: Type.Optional(count('Records that could not be read. They are not in it.')),
    problem: Type.Optional(text('Why it cannot be read.')),
  },
  { title: 'Backup', description: 'A backup of a namespace.', examples: [backup] },
)
export type Backup = Static<typeof Backup>

export const BackupPage = page(Backup, 'BackupPage', 'backups')

const KnownTarget = Type.Object(
  { name: { ...NamespaceName, description: 'Name of the target.', examples: ['offsite'] } },
  { title: 'BackupTarget', description: 'A bucket that the operator has described.', examples: [{ name: 'offsite' }] },
)

export const BackupTargetPage = page(KnownTarget, 'BackupTargetPage', 'targets of backups')
