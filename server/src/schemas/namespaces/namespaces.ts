import { type Static, Type } from 'typebox'
import { namespace, segment } from '../examples/namespaces.js'
import { MemoryBytes } from '../server/memory.js'
import { page } from '../pages.js'
import { bytes, count, flag, text, timestamp } from '../quantities.js'
import { PlannedChange } from './changes.js'
import { ClusterConfig, ClusterUse } from './cluster.js'
import { MigrationPhase } from './migration-phase.js'
import { AcceptedLoss, NamespaceState, Recovery, RecoveryProgress } from './recovery.js'
import { Said } from '../sentence.js'
import { choice, NamespaceName, Reason } from '../words.js'

const KIB = 1024

export const DeviceFile = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: 4096,
      description:
        'Absolute path of a file that does not exist yet, or of a blank block device. `TESSERA_DEVICES` must allow it.',
    }),
    capacityBytes: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Most bytes to use of it. 0 or unset: all there is.' }),
    ),
  },
  { title: 'DeviceFile', description: 'A file or block device for records.', additionalProperties: false },
)

export const StorageConfig = Type.Object(
  {
    engine: choice(['memory', 'device', 'paged', 'cassandra'], {
      description:
        '`memory`: records in DRAM. `device`: records on SSD, index in DRAM. ' +
        '`paged`: records and index in pages behind a cache, if both are larger than memory. ' +
        '`cassandra`: records on an Apache Cassandra cluster; `capabilities.missing` lists what it cannot do yet.',
    }),
    capacityBytes: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Not for `memory`: most bytes on disk. 0 or unset: the whole disk.' }),
    ),
    flushIntervalMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 60_000,
        description:
          'Not for `memory`: longest wait of a `relaxed` write for the disk, in milliseconds. Default: 1000.',
      }),
    ),
    pageBytes: Type.Optional(
      Type.Integer({
        minimum: 4 * KIB,
        maximum: 64 * KIB,
        description:
          'Only for `paged`: page size in bytes, a power of two. Only a migration changes it. Default: 16 KiB. ' +
          'The longest key grows with it: 5,120 bytes at 16 KiB, 10,240 at 64 KiB.',
      }),
    ),
    cacheBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Only for `paged`: memory for pages, in bytes, at least 2,048 pages. Default: 256 MiB.',
      }),
    ),
    checkpointLogBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Only for `paged`: size of the write-ahead log ring, in bytes: a multiple of 4 KiB above 64 MiB. Default: 512 MiB.',
      }),
    ),
    checkpointIntervalSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description:
          'Only for `paged`: longest time between checkpoints under writes, in seconds. Default: 300. ' +
          'A shorter time makes recovery faster and writes pages more often.',
      }),
    ),
    maxMemoryBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Only for `memory`: most bytes of memory for records. ' +
          '0 or unset: a share with other such namespaces, see `memoryShare` of `GET /api/v1/status`.',
      }),
    ),
    writeBlockBytes: Type.Optional(
      Type.Integer({
        minimum: 16 * KIB,
        maximum: 8 * KIB * KIB,
        description: 'Only for `device`: size of a write block, in bytes. Default: 128 KiB.',
      }),
    ),
    devices: Type.Optional(
      Type.Array(DeviceFile, {
        minItems: 1,
        maxItems: 16,
        description:
          'Only for `device`: files and block devices that share the records. Unset: one file in the data directory.',
      }),
    ),
    postWriteCacheBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: KIB ** 3,
        description: 'Only for `device`: newest write blocks kept in memory, in bytes. Default: 8 MiB.',
      }),
    ),
    defragBelowPercent: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 95,
        description:
          'Only for `device`: rewrite write blocks if less than this share of them is live, in percent. Default: 50.',
      }),
    ),
    defragBytesPerSecond: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Only for `device`: read throttle of defragmentation while there is room, in bytes per second. ' +
          '0: no throttle. Default: 64 MiB.',
      }),
    ),
    cachedIo: Type.Optional(
      Type.Boolean({
        description:
          "Not for `memory`. true: use the system's page cache. false: bypass it if possible. Default: false.",
      }),
    ),
    cluster: Type.Optional(ClusterConfig),
  },
  { title: 'StorageConfig', description: 'How records are stored.', additionalProperties: false },
)

export const Ownership = Type.Object(
  {
    nodes: Type.Integer({ minimum: 1, maximum: 256, description: 'Nodes that share the segments.' }),
    owners: Type.Integer({ minimum: 1, maximum: 16, description: 'Owners per segment, at most `nodes`.' }),
    self: Type.Integer({ minimum: 0, maximum: 255, description: 'Number of this node, from 0.' }),
  },
  {
    title: 'Ownership',
    additionalProperties: false,
    description:
      'Which segments this node owns. Rendezvous hashing chooses the owners; the first is the primary owner. ' +
      'Size, scans, queries, streams and exports cover the segments this node is the primary owner of.',
    examples: [{ nodes: 4, owners: 2, self: 0 }],
  },
)

const limits = {
  defaultTtlSeconds: Type.Integer({
    minimum: 0,
    description: 'Time to live of records that set none, in seconds. 0: they never expire. Default: 0.',
  }),
  maxRecordBytes: Type.Integer({ minimum: 1, description: 'Largest record, in bytes. Default: 1 MiB.' }),
  stopWritesPercent: Type.Integer({
    minimum: 1,
    maximum: 100,
    description:
      'Refuse writes that add data with `stop_writes` while `limits.usedBytes` reaches this share of `capacityBytes` or ' +
      '`maxMemoryBytes`, in percent. Default: 90.',
  }),
  evictAtPercent: Type.Integer({
    minimum: 0,
    maximum: 99,
    description:
      'Above this share, in percent, remove records early that would expire, those with the shortest time to live first. ' +
      'It must be below `stopWritesPercent`. 0: never. Default: 0.',
  }),
}
const optionalLimits = {
  defaultTtlSeconds: Type.Optional(limits.defaultTtlSeconds),
  maxRecordBytes: Type.Optional(limits.maxRecordBytes),
  stopWritesPercent: Type.Optional(limits.stopWritesPercent),
  evictAtPercent: Type.Optional(limits.evictAtPercent),
}
const reads = choice(['committed', 'latest'], {
  description:
    'What reads show with durability `commit`. `committed`: only what survives a crash, so a read of a record that is ' +
    'being written waits for its flush. `latest`: the newest version, acknowledged or not. Default: `committed`.',
})

export const NamespaceConfig = Type.Object(
  {
    name: NamespaceName,
    storage: StorageConfig,
    segments: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 4096,
        description: 'Number of segments, a power of two from 1 to 4096. Only a migration changes it. Default: 256.',
        examples: [256],
      }),
    ),
    container: Type.Optional(
      choice(['segmented', 'flat'], {
        description:
          '`segmented`: each segment holds its own records. `flat`: one map holds all of them; only for `memory`, to ' +
          'measure what segments are worth. Only a migration changes it. Default: `segmented`.',
      }),
    ),
    ownership: Type.Optional(Ownership),
    durability: Type.Optional(
      choice(['none', 'relaxed', 'commit'], {
        description:
          '`none`: nothing survives a stop; the only choice for `memory`. `relaxed`: on disk within `flushIntervalMs`. ' +
          '`commit`: on disk before the answer. Default on disk: `commit`. For `cassandra` only `relaxed`: ' +
          'as many replicas as `cluster.writes` says have the write, each as durable as the cluster makes it.',
      }),
    ),
    reads: Type.Optional(reads),
    singleBin: Type.Optional(
      Type.Boolean({
        description:
          'Records have exactly one bin, `value`, stored without its name. Fixed for the life of the namespace. Default: false.',
      }),
    ),
    ...optionalLimits,
  },
  {
    title: 'NamespaceConfig',
    description: 'Settings of a namespace.',
    additionalProperties: false,
    examples: [{ name: 'shop', storage: { engine: 'memory' }, segments: 256 }],
  },
)
export type NamespaceConfig = Static<typeof NamespaceConfig>

/** The settings that can change while records are served. */
const live = {
  ...optionalLimits,
  reads: Type.Optional(reads),
  ownership: Type.Optional(
    Type.Union([Ownership, Type.Null()], { description: 'New ownership. null: this node owns every segment.' }),
  ),
}
const LiveSettings = Type.Object(live)
export type LiveSettings = Static<typeof LiveSettings>
export const liveFields = Object.keys(live) as (keyof LiveSettings)[]

const { name, segments, container, durability, singleBin } = NamespaceConfig.properties

export const NamespacePatch = Type.Object(
  {
    ...live,
    name: Type.Optional(name),
    storage: Type.Optional(StorageConfig),
    segments,
    container,
    durability,
    singleBin,
    reason: Reason,
  },
  {
    title: 'NamespacePatch',
    description:
      'Settings to change. Unset settings stay as they are. `name`, `storage`, `segments`, `container`, `durability` and ' +
      '`singleBin` cannot change here: they are taken if they are as they are now, so you can send all settings back. ' +
      'In a dry run they may differ, and the answer says what would change them.',
    additionalProperties: false,
    minProperties: 1,
    examples: [{ defaultTtlSeconds: 86400 }],
  },
)
export type NamespacePatch = Static<typeof NamespacePatch>

export const DeviceFileUse = Type.Object(
  {
    path: text('Path; for a file in the data directory only its name.'),
    kind: choice(['file', 'device'], { description: 'File or block device.' }),
    access: choice(['direct', 'cached'], {
      description: 'Actual access. `direct`: bypasses the page cache. `cached`: uses it.',
    }),
    capacityBytes: bytes('Most data it may hold', '0: as much as the file system gives.'),
    usedBytes: bytes('Write blocks in use; for pages, the used part of the file; for their log, all of it'),
  },
  { title: 'DeviceFileUse', description: 'A file or device and its use.' },
)
export type DeviceFileUse = Static<typeof DeviceFileUse>

export const DeviceUse = Type.Object(
  {
    bytes: bytes('Space in use'),
    capacityBytes: bytes('Most data on disk', '0: no limit.'),
    liveBytes: bytes('Live records'),
    bytesWritten: bytes('Data written since the namespace was opened'),
    bytesRead: bytes('Data read since the namespace was opened'),
    damagedReads: count('Reads that found a damaged record.'),
    devices: Type.Array(DeviceFileUse, { description: 'The files and devices.' }),
  },
  { title: 'DeviceUse', description: 'Disk use of a namespace.' },
)
export type DeviceUse = Static<typeof DeviceUse>

/** How near a namespace is to its limits. */
export const LimitsUse = Type.Object(
  {
    capacityBytes: Type.Optional(bytes('The limit that `usedBytes` counts against', 'Unset without a limit.')),
    sharedLimitBytes: Type.Optional(
      bytes(
        'What all memory namespaces without `maxMemoryBytes` may hold together',
        'Only for such namespaces; as in `GET /api/v1/status`.',
      ),
    ),
    sharedUsedBytes: Type.Optional(bytes('What they hold together, indexes included')),
    usedBytes: bytes(
      'What counts against the limits: live records as stored',
      'In a paged namespace with `capacityBytes`: the pages in use, index included, less the room in them for records.',
    ),
    writesStopped: flag('True if writes that add data are refused with `stop_writes`.'),
    reason: Type.Optional(text('Why writes are stopped, in one sentence.')),
    said: Said,
    evictedRecords: count('Records removed early for room, since the namespace was opened.'),
    expiredRecords: count('Expired records removed since the namespace was opened.'),
  },
  { title: 'LimitsUse', description: 'How close a namespace is to its limits.' },
)

export const Namespace = Type.Object(
  {
    name: text('Name of the namespace.'),
    id: text(
      'Id of the namespace, 32 hexadecimal digits. No other one has had it. A restart, a migration and a restore of a drop keep it.',
    ),
    state: NamespaceState,
    stateCode: Type.Optional(text('Error code of what is wrong.')),
    stateReason: Type.Optional(text('What is wrong, in one sentence.')),
    stateSaid: Said,
    createdAt: timestamp('When it was created'),
    config: NamespaceConfig,
    records: count('Records. If `capabilities.counts` is `estimated`, about so many.'),
    sets: count('Sets.'),
    indexes: count('Document and range indexes.'),
    lastWriteAt: Type.Optional(timestamp('When it was last written')),
    memory: MemoryBytes,
    device: Type.Optional(DeviceUse),
    cluster: Type.Optional(ClusterUse),
    limits: Type.Optional(LimitsUse),
    recovery: Type.Optional(Recovery),
    migration: Type.Optional(
      Type.Object(
        {
          phase: MigrationPhase,
          cutOver: flag('True if the target serves reads and decides writes.'),
        },
        { description: 'While it migrates: how far that is.' },
      ),
    ),
    progress: Type.Optional(RecoveryProgress),
    losses: Type.Array(AcceptedLoss, { description: 'The newest 100 losses that were accepted to open it.' }),
    capabilities: Type.Object(
      {
        setIndex: flag('True if sets can have an index.'),
        documentIndex: flag('True if it supports document indexes.'),
        rangeIndex: flag('True if it supports range indexes.'),
        ttl: flag('True if records can expire.'),
        durability: Type.Array(Type.String(), { description: 'Durabilities it supports.' }),
        counts: choice(['exact', 'estimated'], {
          description:
            'Whether numbers of records and bytes are exact. Estimates follow the writes of all servers, and a scan ' +
            'or count that goes through all records corrects them.',
        }),
        undoTruncate: flag('True if truncations can be undone for `undoSeconds` of the status.'),
        missing: Type.Array(choice(['segments', 'disks', 'limits']), {
          description:
            'What it cannot do. Such requests answer `capability_unsupported`. `segments`: segments, and sets that a ' +
            'bin distributes. `limits`: limits of the size of a namespace or a set.',
        }),
      },
      { description: 'What its engine supports.' },
    ),
    mutable: Type.Array(Type.String(), { description: 'Settings that `PATCH` can change while records are served.' }),
    changes: Type.Optional(
      Type.Array(PlannedChange, {
        description:
          'Only in answers to changes of settings: what has changed or, in a dry run, would change, and what stays as it is.',
      }),
    ),
  },
  { title: 'Namespace', description: 'A namespace with its settings and figures.', examples: [namespace] },
)
export type Namespace = Static<typeof Namespace>

export const PartialNamespace = Type.Object(
  {
    name: text('Name of the namespace.'),
    sets: Type.Array(Type.String(), { description: 'Names of those of its sets that you may see.' }),
  },
  {
    title: 'PartialNamespace',
    description: 'A namespace of which you may see some sets only.',
    examples: [{ name: 'shop', sets: ['eu-orders'] }],
  },
)
export type PartialNamespace = Static<typeof PartialNamespace>

const Whole = page(Namespace, 'NamespacePage', 'namespaces')
export const NamespacePage = Type.Object(
  {
    ...Whole.properties,
    partial: Type.Optional(
      Type.Array(PartialNamespace, {
        description: 'On the first page: namespaces of which you may see some sets only. Unset: none.',
      }),
    ),
  },
  {
    title: 'NamespacePage',
    description: 'A page of namespaces.',
    examples: [{ items: [namespace], truncated: false, limit: 500 }],
  },
)

export const Segment = Type.Object(
  {
    segment: Type.Integer({ description: 'Number of the segment, from 0.' }),
    records: count('Records stored here, including expired ones that are not removed yet.'),
    liveBytes: bytes('Live records'),
    allocatedBytes: Type.Optional(bytes('Allocated space', 'Unset in a flat container, which has no segments.')),
    owners: Type.Optional(
      Type.Array(Type.Integer(), {
        description: 'Numbers of the owning nodes, primary owner first. Unset without `ownership`.',
      }),
    ),
    primary: flag('True if this node is the primary owner.'),
    reads: count('Reads of single records since the namespace was opened.'),
    writes: count('Writes of single records since the namespace was opened.'),
  },
  { title: 'Segment', description: 'A segment of a namespace.', examples: [segment] },
)
export type Segment = Static<typeof Segment>

export const SegmentPage = page(Segment, 'SegmentPage', 'segments')

export const Size = Type.Object(
  {
    namespace: text('Name of the namespace.'),
    set: Type.Optional(text('Name of the set, if you asked for one.')),
    records: count('Number of records.'),
  },
  {
    title: 'Size',
    description: 'The number of records.',
    examples: [{ namespace: 'shop', set: 'events', records: 2000 }],
  },
)
