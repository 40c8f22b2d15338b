// The disks of a device namespace: current load, totals since it was opened, and the block map.
import { type Static, Type } from 'typebox'
import { deviceReport } from '../examples/storage.js'
import { DeviceFileUse } from './namespaces.js'
import { bytes, count, text, timestamp } from '../quantities.js'
import { failure } from '../failure.js'

const rate = (description: string) => Type.Number({ minimum: 0, description })
const ms = (what: string, more = '') =>
  Type.Number({ minimum: 0, description: `${what}, in milliseconds.${more && ` ${more}`}` })
const ends =
  'As in `iostat`, except that with several operations in flight latency ends when the thread reaps the completion.'
const latency = (of: string) => Type.Optional(ms(`Average latency of ${of}`, 'Unset if none ended.'))

export const DiskLoad = Type.Object(
  {
    path: text('Path, as in `device.devices` of the namespace.'),
    readBytesPerSecond: rate('Read throughput, in bytes per second.'),
    writeBytesPerSecond: rate('Write throughput, in bytes per second.'),
    readsPerSecond: rate('Reads per second.'),
    writesPerSecond: rate('Writes per second.'),
    syncsPerSecond: rate('Syncs per second.'),
    readLatencyMs: latency('reads'),
    writeLatencyMs: latency('writes'),
    syncLatencyMs: latency('syncs'),
    queueDepth: Type.Number({
      minimum: 0,
      description: 'Average operations in flight, syncs included: `aqu-sz` of `iostat`.',
    }),
    inFlight: count('Operations in flight at the end of the interval, syncs included.'),
    busyPercent: Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Share of the time with an operation in flight, in percent: `%util` of `iostat`.',
    }),
  },
  { title: 'DiskLoad', description: `Traffic, latency and queue of one disk over one interval. ${ends}` },
)
export type DiskLoad = Static<typeof DiskLoad>

const PageReads = (of: string) =>
  Type.Object(
    { hits: count('Reads that the cache answered.'), misses: count('Reads that a disk answered.') },
    { description: `Reads of pages of ${of}.` },
  )

export const PagesLoad = Type.Object(
  {
    logRingBytes: bytes('Most log that may be needed at once'),
    logNeededBytes: bytes('Log that a start after a crash would read, at the end of the interval'),
    recordsReadBytesPerSecond: rate('Records read by callers, in bytes per second.'),
    recordsWrittenBytesPerSecond: rate('Records written by callers, in bytes per second.'),
    pagesReadBytesPerSecond: rate('Pages read from disk, in bytes per second.'),
    pagesWrittenBytesPerSecond: rate('Pages written to disk, in bytes per second.'),
    logWrittenBytesPerSecond: rate('Log written to disk, in bytes per second.'),
    readAmplification: Type.Optional(
      Type.Number({ minimum: 0, description: 'Bytes of pages read per byte of records read. Unset if none was read.' }),
    ),
    writeAmplification: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'Bytes written to pages and log per byte of records written. Unset if none was written.',
      }),
    ),
    index: PageReads('trees'),
    slotMap: PageReads('slot maps'),
    records: PageReads('records'),
  },
  {
    title: 'PagesLoad',
    description:
      'What the pages of a namespace did in one interval. Only for `paged`. Page reads are counted every second ' +
      'with up to 65,536 pages of cache, in longer intervals with more.',
  },
)
export type PagesLoad = Static<typeof PagesLoad>

export const DeviceLoad = Type.Object(
  {
    namespace: text('Name of the namespace.'),
    flushQueueBytes: bytes('Data that waits for stable storage at the end of the interval'),
    defragQueueBlocks: count('Write blocks that wait to be rewritten, at the end of the interval.'),
    appendedBytesPerSecond: rate('Data logged for callers, in bytes per second.'),
    movedBytesPerSecond: rate('Data copied by defragmentation, in bytes per second.'),
    writeAmplification: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'Bytes written to disks per byte logged for callers. Unset if nothing was logged.',
      }),
    ),
    pages: Type.Optional(PagesLoad),
    disks: Type.Array(DiskLoad, { description: 'One entry per disk.' }),
  },
  { title: 'DeviceLoad', description: 'What the disks of a namespace did in one interval.' },
)
export type DeviceLoad = Static<typeof DeviceLoad>

const DiskOperations = Type.Object(
  {
    count: count('Operations that ended, including failed ones.'),
    bytes: bytes('Data they moved'),
    totalMs: ms('Sum of latencies', 'For an average, divide its increase by the increase of `count`.'),
    medianMs: Type.Optional(ms('Median latency')),
    p99Ms: Type.Optional(ms('99th percentile of latency', 'At most 25% too high.')),
  },
  { title: 'DiskOperations', description: 'Operations of one kind on one disk, since the namespace was opened.' },
)

const column = (description: string) => Type.Array(count('Value of one cell.'), { description })

export const BlockMap = Type.Object(
  {
    blocks: count('Blocks up to the limit of the disk or, without a limit, up to the last used block.'),
    blocksPerCell: count('Blocks per cell. The last cell may have fewer.'),
    free: column('Free blocks.'),
    writing: column('Blocks that are not wholly on stable storage yet.'),
    stored: column('Blocks on stable storage, including the header block of the disk.'),
    freeing: column('Blocks that are given up, and reusable once that is on stable storage.'),
    unreadable: column('Blocks that could not be read and are left alone.'),
    liveBytes: column('Bytes of records that the index refers to.'),
    tombstoneBytes: column('Bytes of tombstones that may still be needed.'),
    deadBytes: column('Bytes of stored blocks that hold nothing live, including unused room at their ends.'),
  },
  { title: 'BlockMap', description: 'The write blocks of a disk, in cells of neighbouring blocks.' },
)
export type BlockMap = Static<typeof BlockMap>

const failed = failure('The failure that keeps writes out now. Unset if there is none.')

export const DiskReport = Type.Object(
  {
    ...DeviceFileUse.properties,
    reads: DiskOperations,
    writes: DiskOperations,
    syncs: DiskOperations,
    inFlight: count('Operations in flight now, syncs included.'),
    busyMs: ms('Time with an operation in flight', 'Its increase is `%util` of `iostat`.'),
    queueMs: ms(
      'Time multiplied by the operations in flight, syncs included',
      'Its increase divided by the increase of `countedMs` is `aqu-sz` of `iostat`.',
    ),
    countedMs: ms('How long these figures were counted'),
    map: Type.Optional(BlockMap),
  },
  { title: 'DiskReport', description: `Counts and times of one disk. ${ends}` },
)
export type DiskReport = Static<typeof DiskReport>

export const DeviceReport = Type.Object(
  {
    namespace: text('Name of the namespace.'),
    blockBytes: bytes('Size of a write block'),
    disks: Type.Array(DiskReport, { description: 'One entry per disk.' }),
    flush: Type.Object(
      {
        queueBytes: bytes('Data that waits for stable storage'),
        limitBytes: bytes('Queue size from which on writers wait'),
        failures: count('Flushes that failed.'),
        failure: Type.Optional(failed),
        lastFailure: Type.Optional(
          Type.Object(
            { at: timestamp('When it failed'), ...failed.properties },
            { description: 'The newest failed flush, even if writes work again.' },
          ),
        ),
      },
      { description: 'The queue of the flusher.' },
    ),
    defrag: Type.Object(
      {
        queueBlocks: count('Write blocks that wait to be rewritten.'),
        reservedBlocks: count('Write blocks reserved for defragmentation.'),
        freeingBlocks: count('Blocks that are given up, and reusable once that is on stable storage.'),
      },
      { description: 'The queue of defragmentation.' },
    ),
    cache: Type.Object(
      {
        blocks: count('Newest stored blocks that memory still holds.'),
        mostBlocks: count('Most blocks that memory may hold.'),
        memoryReads: count('Record reads answered from memory.'),
        diskReads: count('Record reads answered from a disk.'),
      },
      { description: 'The post-write cache.' },
    ),
    amplification: Type.Object(
      {
        appendedBytes: bytes('Records and tombstones logged for callers'),
        movedBytes: bytes('Data copied by defragmentation'),
        writtenBytes: bytes('Data written to the disks, headers and padding included'),
        total: Type.Optional(
          Type.Number({ description: '`writtenBytes` divided by `appendedBytes`. Unset before the first write.' }),
        ),
      },
      { description: 'Write amplification.' },
    ),
    lastSecond: Type.Optional(DeviceLoad),
  },
  {
    title: 'DeviceReport',
    description: 'The disks of a device namespace, counted since it was opened.',
    examples: [deviceReport],
  },
)
export type DeviceReport = Static<typeof DeviceReport>

export const DeviceQuery = Type.Object(
  {
    cells: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 4096,
        description: 'Most cells in the block map of a disk, 0 to 4096. 0: no map, the cheapest. Default: 1024.',
        examples: [256],
      }),
    ),
  },
  { additionalProperties: false },
)
