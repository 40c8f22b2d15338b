// Migrations of namespaces: to another engine, page size, container or number of segments.
import { type Static, Type } from 'typebox'
import { migration } from '../examples/namespaces.js'
import { count, flag, RecordsPerSecond, text } from '../quantities.js'
import { failure } from '../failure.js'
import { MigrationPhase } from './migration-phase.js'
import { NamespaceConfig, StorageConfig } from './namespaces.js'

const pace = {
  threads: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 128,
      description:
        'Worker threads, 1 to 128. A flat container is copied by one. Default: 2, from a cluster or to one 32.',
      examples: [2],
    }),
  ),
  recordsPerSecond: Type.Optional(RecordsPerSecond),
}

const { segments, container, durability } = NamespaceConfig.properties

export const MigrationRequest = Type.Object(
  {
    storage: Type.Optional(StorageConfig),
    segments: Type.Optional({
      ...segments,
      description: 'The new number of segments, a power of two from 1 to 4096. Unset: as it is.',
    }),
    container: Type.Optional({
      ...container,
      description: 'The new container. `flat`: only for `memory`. Unset: as it is, and `segmented` on disk.',
    }),
    durability: Type.Optional({
      ...durability,
      description:
        'The new durability. Unset: as it is; `none` in memory; `commit` from memory or a cluster to a disk.',
    }),
    ...pace,
  },
  {
    title: 'MigrationRequest',
    description:
      'How the namespace is to be stored; what is unset stays as it is. `storage` replaces all settings of the ' +
      'storage, as at creation. At least one setting must differ from what the namespace has.',
    additionalProperties: false,
    minProperties: 1,
    examples: [{ storage: { engine: 'paged', pageBytes: 65_536 }, recordsPerSecond: 50_000 }],
  },
)
export type MigrationRequest = Static<typeof MigrationRequest>

export const MigrationPace = Type.Object(pace, {
  title: 'MigrationPace',
  description: 'How fast the migration goes on.',
  additionalProperties: false,
  examples: [{ recordsPerSecond: 50_000 }],
})
export type MigrationPace = Static<typeof MigrationPace>

export const MigrationStore = Type.Object(
  {
    config: NamespaceConfig,
    records: Type.Optional(
      count('Records in it. Unset if it could not be opened, or is on a cluster and has not been cut over to.'),
    ),
  },
  { title: 'MigrationStore', description: 'One of the two stores of a namespace that migrates.' },
)

export const Migration = Type.Object(
  {
    namespace: text('Name of the namespace.'),
    phase: MigrationPhase,
    cutOver: flag('True if `target` serves reads and decides writes, and `source` follows.'),
    source: MigrationStore,
    target: MigrationStore,
    copied: count('Records copied by the job.'),
    compared: count('Records compared by the job, with metadata and all bytes; each once in either store.'),
    repaired: count('Records that differed and were made the same.'),
    failure: Type.Optional(failure('Why it has failed.')),
    jobId: Type.Optional(text('The job that makes, or made, both stores the same.')),
  },
  { title: 'Migration', description: 'A migration of a namespace.', examples: [migration] },
)
export type Migration = Static<typeof Migration>
