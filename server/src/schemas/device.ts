// The disks of a device namespace: what they do now, what they did since the start, and what lies on them.
import { type Static, Type } from 'typebox'
import { DeviceFileUse } from './namespaces.js'
import { Bytes, Count, Timestamp } from './quantities.js'

const Rate = Type.Number({ minimum: 0, description: 'a second' })
const Milliseconds = Type.Number({ minimum: 0, description: 'milliseconds' })
const ends =
  'as iostat defines them, but that an operation of a window (reads of a batch or a scan, writes of the flusher) ends when its thread takes it back'
const latency = (of: string) =>
  Type.Optional({ ...Milliseconds, description: `${of}, average; absent where none ended` })

export const DiskLoad = Type.Object(
  {
    path: Type.String({ description: 'as in `device.devices` of the namespace' }),
    readBytesPerSecond: Rate,
    writeBytesPerSecond: Rate,
    readsPerSecond: Rate,
    writesPerSecond: Rate,
    syncsPerSecond: Rate,
    readLatencyMs: latency('of reads'),
    writeLatencyMs: latency('of writes'),
    syncLatencyMs: latency('of syncs'),
    queueDepth: Type.Number({
      minimum: 0,
      description: 'operations in flight, syncs included, average; aqu-sz of iostat',
    }),
    inFlight: { ...Count, description: 'operations in flight at the end, syncs included' },
    busyPercent: Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'time with an operation in flight; %util of iostat',
    }),
  },
  { title: 'DiskLoad', description: `rates and averages of one disk over the time of a frame; ${ends}` },
)
export type DiskLoad = Static<typeof DiskLoad>

export const DeviceLoad = Type.Object(
  {
    namespace: Type.String(),
    flushQueueBytes: { ...Bytes, description: 'bytes that wait for stable storage, at the end' },
    defragQueueBlocks: { ...Count, description: 'write blocks that wait to be rewritten, at the end' },
    appendedBytesPerSecond: { ...Rate, description: 'logged for callers' },
    movedBytesPerSecond: { ...Rate, description: 'copied to make room' },
    writeAmplification: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'bytes written to disks for each byte logged for callers; absent where none was',
      }),
    ),
    disks: Type.Array(DiskLoad),
  },
  { title: 'DeviceLoad', description: 'what the disks of a namespace did in the time of a frame' },
)
export type DeviceLoad = Static<typeof DeviceLoad>

const DiskOperations = Type.Object(
  {
    count: { ...Count, description: 'that ended, failed ones too' },
    bytes: Bytes,
    totalMs: { ...Milliseconds, description: 'latencies added up; divide an increase by that of count for an average' },
    medianMs: Type.Optional(Milliseconds),
    p99Ms: Type.Optional({ ...Milliseconds, description: 'rounded up by a quarter at most' }),
  },
  { title: 'DiskOperations' },
)

const column = (description: string) => Type.Array(Count, { description })

export const BlockMap = Type.Object(
  {
    blocks: { ...Count, description: 'as far as the disk may be used; where that has no bound, as far as it was' },
    blocksPerCell: { ...Count, description: 'the last cell may have fewer' },
    free: column('blocks by state'),
    writing: column('not yet on stable storage as a whole'),
    stored: column('on stable storage; the first block of a disk, which has its header, is one of them'),
    freeing: column('given up, and usable again once that is on stable storage'),
    unreadable: column('could not be read, and left alone'),
    liveBytes: column('of records that the index refers to'),
    tombstoneBytes: column('of tombstones that may still be needed'),
    deadBytes: column('of stored blocks: what nobody wants any more, and the room that records left at their ends'),
  },
  { title: 'BlockMap', description: 'the write blocks in cells of neighbours: one number a cell' },
)
export type BlockMap = Static<typeof BlockMap>

const Failure = Type.Object({ code: Type.String(), message: Type.String() })

export const DiskReport = Type.Object(
  {
    ...DeviceFileUse.properties,
    reads: DiskOperations,
    writes: DiskOperations,
    syncs: DiskOperations,
    inFlight: { ...Count, description: 'operations in flight now, syncs included' },
    busyMs: { ...Milliseconds, description: 'time with an operation in flight; its increase is %util of iostat' },
    queueMs: {
      ...Milliseconds,
      description:
        'time multiplied by the operations in flight in it, syncs included; its increase by that of countedMs is aqu-sz',
    },
    countedMs: { ...Milliseconds, description: 'how long all this was counted' },
    map: Type.Optional(BlockMap),
  },
  { title: 'DiskReport', description: `counts and times of one disk; ${ends}` },
)
export type DiskReport = Static<typeof DiskReport>

export const DeviceReport = Type.Object(
  {
    namespace: Type.String(),
    blockBytes: { ...Bytes, description: 'size of a write block' },
    disks: Type.Array(DiskReport),
    flush: Type.Object({
      queueBytes: { ...Bytes, description: 'bytes that wait for stable storage' },
      limitBytes: { ...Bytes, description: 'from here on writers wait' },
      failures: { ...Count, description: 'flushes that failed' },
      failure: Type.Optional({ ...Failure, description: 'what keeps writes out now' }),
      lastFailure: Type.Optional(
        Type.Object(
          { at: Timestamp, ...Failure.properties },
          { description: 'the newest of those that failed, whether it still keeps writes out or not' },
        ),
      ),
    }),
    defrag: Type.Object({
      queueBlocks: { ...Count, description: 'write blocks that wait to be rewritten' },
      reservedBlocks: { ...Count, description: 'kept back for defragmentation, which needs room to make room' },
      freeingBlocks: { ...Count, description: 'given up, and usable again once that is on stable storage' },
    }),
    cache: Type.Object({
      blocks: { ...Count, description: 'newest stored blocks that memory still has' },
      mostBlocks: Count,
      memoryReads: { ...Count, description: 'reads of records that memory answered' },
      diskReads: { ...Count, description: 'reads of records that a disk answered' },
    }),
    amplification: Type.Object({
      appendedBytes: { ...Bytes, description: 'records and tombstones logged for callers' },
      movedBytes: { ...Bytes, description: 'copied to make room' },
      writtenBytes: { ...Bytes, description: 'written to the disks, headers and padding included' },
      total: Type.Optional(Type.Number({ description: 'writtenBytes by appendedBytes; absent before the first' })),
    }),
    lastSecond: Type.Optional(DeviceLoad),
  },
  { title: 'DeviceReport', description: 'counted since the namespace was opened' },
)
export type DeviceReport = Static<typeof DeviceReport>

export const DeviceQuery = Type.Object(
  {
    cells: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 4096,
        description: 'most cells in the map of a disk; 1024 unless given; 0: no map, which costs the least',
      }),
    ),
  },
  { additionalProperties: false },
)
