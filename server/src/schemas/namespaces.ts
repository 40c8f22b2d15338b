import { type Static, Type } from 'typebox'
import { MemoryBytes } from './memory.js'
import { page } from './pages.js'
import { Bytes, Count, Timestamp } from './quantities.js'
import { AcceptedLoss, NamespaceState, Recovery, RecoveryProgress } from './recovery.js'
import { choice, Name } from './words.js'

const KIB = 1024

export const DeviceFile = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'absolute; a file that is not there yet, or a blank block device, where TESSERA_DEVICES allows it',
    }),
    capacityBytes: Type.Optional(
      Type.Integer({ minimum: 0, description: 'most bytes to use of it; 0 or absent = as much as there is' }),
    ),
  },
  { title: 'DeviceFile', additionalProperties: false },
)

export const StorageConfig = Type.Object(
  {
    engine: choice(['memory', 'device', 'paged'], {
      description:
        'memory: records in DRAM; device: records on SSD, index in DRAM; paged: records and index in pages behind a cache, for both larger than memory',
    }),
    capacityBytes: Type.Optional(
      Type.Integer({ minimum: 0, description: 'not memory: most bytes on disk; 0 or absent = what the disk has' }),
    ),
    flushIntervalMs: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 60_000, description: 'not memory: longest time a relaxed write waits' }),
    ),
    pageBytes: Type.Optional(
      Type.Integer({
        minimum: 4 * KIB,
        maximum: 64 * KIB,
        description:
          "paged only: a power of two; 16 KiB unless given; fixed for the namespace's life; the longest key grows with it: 5,120 bytes at 16 KiB, 10,240 at 64 KiB",
      }),
    ),
    cacheBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'paged only: memory for pages, at least 2,048 of them; 256 MiB unless given',
      }),
    ),
    checkpointLogBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'paged only: ring of the write-ahead log, a multiple of 4 KiB and more than 64 MiB; 512 MiB unless given',
      }),
    ),
    checkpointIntervalSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description:
          'paged only: longest time between checkpoints while records are written; shorter ones leave less of the log to a start after a crash, and write pages more often; 300 unless given',
      }),
    ),
    maxMemoryBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'memory only: most bytes of memory for records; 0 or absent = what such namespaces share, memoryShare of GET /status',
      }),
    ),
    writeBlockBytes: Type.Optional(
      Type.Integer({ minimum: 4 * KIB, maximum: 8 * KIB * KIB, description: 'device only: size of a write block' }),
    ),
    devices: Type.Optional(
      Type.Array(DeviceFile, {
        minItems: 1,
        maxItems: 16,
        description: 'device only: what records are spread over; absent = one file in the data directory',
      }),
    ),
    postWriteCacheBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: KIB ** 3,
        description: 'device only: bytes of the newest write blocks that stay in memory; 8 MiB unless given',
      }),
    ),
    defragBelowPercent: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 95,
        description: 'device only: write blocks of which less than this share is wanted are rewritten; 50 unless given',
      }),
    ),
    defragBytesPerSecond: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'device only: most bytes a second that this reads, while there is room; 0 = no bound',
      }),
    ),
    cachedIo: Type.Optional(
      Type.Boolean({
        description: "not memory: through the system's page cache; otherwise past it, where that works",
      }),
    ),
  },
  { title: 'StorageConfig', additionalProperties: false },
)

export const Ownership = Type.Object(
  {
    nodes: Type.Integer({ minimum: 1, maximum: 256, description: 'nodes that share the segments' }),
    owners: Type.Integer({ minimum: 1, maximum: 16, description: 'of each segment; no more than there are nodes' }),
    self: Type.Integer({ minimum: 0, maximum: 255, description: 'the number of this node, from 0 on' }),
  },
  {
    title: 'Ownership',
    additionalProperties: false,
    description:
      "which segments are this node's: owners by rendezvous hashing, the first of them the primary one. size, scans, queries, streams and exports take the segments of which this node is the primary owner",
    examples: [{ nodes: 4, owners: 2, self: 0 }],
  },
)

const limits = {
  defaultTtlSeconds: Type.Integer({
    minimum: 0,
    description: 'time to live of records that name none; 0 = never expire',
  }),
  maxRecordBytes: Type.Integer({ minimum: 1, description: 'largest record, bytes' }),
  stopWritesPercent: Type.Integer({
    minimum: 1,
    maximum: 100,
    description:
      'writes that add are refused (stop_writes) while limits.usedBytes is this share of capacityBytes or maxMemoryBytes; 90 unless given',
  }),
  evictAtPercent: Type.Integer({
    minimum: 0,
    maximum: 99,
    description:
      'above this share, records that will expire are removed early, those with the shortest time to live first; 0 = never; below stopWritesPercent',
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
    'what reads show of a namespace with durability commit; committed unless given: what a crash cannot take back, so who reads a record that is being written waits for its flush; latest: the newest version, acknowledged or not',
})

export const NamespaceConfig = Type.Object(
  {
    name: Name,
    storage: StorageConfig,
    segments: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 4096, description: 'a power of two; 256 unless given', examples: [256] }),
    ),
    container: Type.Optional(
      choice(['segmented', 'flat'], {
        description:
          "segmented unless given: each segment holds its own records; flat, memory only: one map holds those of all segments, to measure what segments are worth; fixed for the namespace's life",
      }),
    ),
    ownership: Type.Optional(Ownership),
    durability: Type.Optional(
      choice(['none', 'relaxed', 'commit'], {
        description:
          'none: memory, which has no other; relaxed: on disk within flushIntervalMs; commit: on disk when acknowledged, and what a namespace on disk has unless given',
      }),
    ),
    reads: Type.Optional(reads),
    singleBin: Type.Optional(
      Type.Boolean({
        description: 'records have exactly one bin, "value", stored without its name; fixed for the namespace\'s life',
      }),
    ),
    ...optionalLimits,
  },
  {
    title: 'NamespaceConfig',
    additionalProperties: false,
    examples: [{ name: 'events', storage: { engine: 'memory' }, segments: 256 }],
  },
)
export type NamespaceConfig = Static<typeof NamespaceConfig>

export const NamespacePatch = Type.Object(
  {
    ...optionalLimits,
    reads: Type.Optional(reads),
    ownership: Type.Optional(
      Type.Union([Ownership, Type.Null()], { description: "null: every segment is this node's" }),
    ),
  },
  {
    title: 'NamespacePatch',
    additionalProperties: false,
    minProperties: 1,
    examples: [{ defaultTtlSeconds: 86400 }],
  },
)
export type NamespacePatch = Static<typeof NamespacePatch>

export const DeviceFileUse = Type.Object(
  {
    path: Type.String({ description: 'of the file in the data directory its name' }),
    kind: choice(['file', 'device']),
    access: choice(['direct', 'cached'], { description: 'past the page cache or through it, as it really is' }),
    capacityBytes: { ...Bytes, description: '0 = what the file system gives' },
    usedBytes: {
      ...Bytes,
      description: 'bytes of write blocks in use; of pages the file as far as it was used, of their log all of it',
    },
  },
  { title: 'DeviceFileUse' },
)
export type DeviceFileUse = Static<typeof DeviceFileUse>

export const DeviceUse = Type.Object(
  {
    bytes: Bytes,
    capacityBytes: Bytes,
    liveBytes: Bytes,
    bytesWritten: Bytes,
    bytesRead: Bytes,
    damagedReads: { ...Count, description: 'reads that found a damaged record' },
    devices: Type.Array(DeviceFileUse),
  },
  { title: 'DeviceUse' },
)

/** How near a namespace is to its limits. */
export const LimitsUse = Type.Object(
  {
    capacityBytes: Type.Optional({ ...Bytes, description: 'what usedBytes is a share of; absent without a limit' }),
    sharedLimitBytes: Type.Optional({
      ...Bytes,
      description: 'of a memory namespace without maxMemoryBytes: what all such may hold together, as in GET /status',
    }),
    sharedUsedBytes: Type.Optional({ ...Bytes, description: 'what they hold, indexes included' }),
    usedBytes: {
      ...Bytes,
      description:
        'what counts against the limits: bytes of live records, as stored; of a paged namespace with capacityBytes what its pages have taken, index included, less the room in them that records can use',
    },
    writesStopped: Type.Boolean({ description: 'writes that add are refused with stop_writes' }),
    reason: Type.Optional(Type.String({ description: 'why they are, in one sentence' })),
    evictedRecords: { ...Count, description: 'removed for room since the namespace was opened' },
    expiredRecords: { ...Count, description: 'removed past their time since the namespace was opened' },
  },
  { title: 'LimitsUse' },
)

export const Namespace = Type.Object(
  {
    name: Type.String(),
    state: NamespaceState,
    stateCode: Type.Optional(Type.String({ description: 'error code of what is wrong' })),
    stateReason: Type.Optional(Type.String({ description: 'what is wrong, in one sentence' })),
    createdAt: Timestamp,
    config: NamespaceConfig,
    records: Count,
    sets: Count,
    indexes: Count,
    lastWriteAt: Type.Optional(Timestamp),
    memory: MemoryBytes,
    device: Type.Optional(DeviceUse),
    limits: Type.Optional(LimitsUse),
    recovery: Type.Optional(Recovery),
    progress: Type.Optional(RecoveryProgress),
    losses: Type.Array(AcceptedLoss, { description: 'accepted to open it, now or earlier; the newest 100' }),
    capabilities: Type.Object({
      setIndex: Type.Boolean(),
      documentIndex: Type.Boolean(),
      rangeIndex: Type.Boolean(),
      ttl: Type.Boolean(),
      durability: Type.Array(Type.String()),
    }),
    mutable: Type.Array(Type.String(), { description: 'the settings that PATCH changes while records are served' }),
  },
  { title: 'Namespace' },
)
export type Namespace = Static<typeof Namespace>

export const NamespacePage = page(Namespace, 'NamespacePage')

export const Segment = Type.Object(
  {
    segment: Type.Integer(),
    records: { ...Count, description: 'held here, expired ones that the sweeper has not met included' },
    liveBytes: Bytes,
    allocatedBytes: Type.Optional({ ...Bytes, description: 'not of a flat container, where memory is that of all' }),
    owners: Type.Optional(
      Type.Array(Type.Integer(), { description: 'nodes, the primary owner first; absent without ownership' }),
    ),
    primary: Type.Boolean({ description: 'this node is the primary owner' }),
    reads: { ...Count, description: 'of single records, since the namespace was opened' },
    writes: { ...Count, description: 'as reads' },
  },
  { title: 'Segment' },
)
export type Segment = Static<typeof Segment>

export const SegmentPage = page(Segment, 'SegmentPage')

export const Size = Type.Object(
  { namespace: Type.String(), set: Type.Optional(Type.String()), records: Count },
  { title: 'Size' },
)
