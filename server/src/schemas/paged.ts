// The pages of a paged namespace: what the cache, the log and the checkpoints do, what lies in the file, what other sizes would cost.
import { type Static, Type } from 'typebox'
import { Bytes, Count, Timestamp } from './quantities.js'
import { choice } from './words.js'

const PageKind = Type.String({
  description: 'segment, inner, leaf, slot_map, directory, extents, data, overflow or namespace',
})
const times = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }))

export const PageKindUse = Type.Object(
  {
    kind: PageKind,
    cached: { ...Count, description: 'pages in the cache now' },
    hits: { ...Count, description: 'reads of pages that the cache answered' },
    misses: { ...Count, description: 'reads of pages that the disk answered' },
  },
  { title: 'PageKindUse' },
)
export type PageKindUse = Static<typeof PageKindUse>

export const Checkpoint = Type.Object(
  {
    begunAt: Timestamp,
    tookMs: Type.Number({ minimum: 0, description: 'milliseconds; of one under way so far' }),
    pages: { ...Count, description: 'pages that it wrote' },
    logBytes: { ...Bytes, description: 'bytes of the log that are not needed any more since it ended' },
    cause: choice(['log', 'time', 'asked', 'close'], { description: 'log: so much of it was needed' }),
    whole: Type.Boolean({ description: 'it has ended well; false: it failed, or is under way' }),
  },
  { title: 'Checkpoint' },
)
export type Checkpoint = Static<typeof Checkpoint>

export const PagesReport = Type.Object(
  {
    namespace: Type.String(),
    at: { ...Timestamp, description: 'when this was so' },
    pageBytes: Bytes,
    pages: { ...Count, description: 'in the file' },
    freePages: {
      ...Count,
      description:
        'those of them in extents that nobody has; pages of other extents may be free, too, and the map counts both',
    },
    cache: Type.Object({
      bytes: { ...Bytes, description: 'of memory for pages' },
      frames: { ...Count, description: 'pages that it may hold' },
      used: { ...Count, description: 'pages that it holds' },
      dirty: { ...Count, description: 'those of them that are newer than on the disk' },
      kinds: Type.Array(PageKindUse),
    }),
    log: Type.Object({
      ringBytes: { ...Bytes, description: 'most bytes of it that may be needed at once' },
      neededBytes: { ...Bytes, description: 'bytes that a start after a crash would have to read now' },
      end: { ...Bytes, description: 'one past the last record, in bytes since the log was made' },
      durable: { ...Bytes, description: 'up to where it is on stable storage' },
      records: { ...Count, description: 'logged' },
      imageBytes: { ...Bytes, description: 'of whole pages, logged against torn ones after a checkpoint' },
      syncs: Count,
    }),
    checkpoints: Type.Array(Checkpoint, { maxItems: 64, description: 'the newest last' }),
    traffic: Type.Object({
      recordsReadBytes: { ...Bytes, description: 'of records, for callers' },
      recordsWrittenBytes: { ...Bytes, description: 'of records, for callers' },
      pagesReadBytes: { ...Bytes, description: 'what the start read is not in it' },
      pagesWrittenBytes: { ...Bytes, description: 'checkpoints included' },
      logWrittenBytes: { ...Bytes, description: 'blocks that are written again included' },
      readAmplification: times('pagesReadBytes by recordsReadBytes; absent before the first read'),
      writeAmplification: times(
        'pagesWrittenBytes and logWrittenBytes by recordsWrittenBytes; absent before the first write',
      ),
    }),
  },
  { title: 'PagesReport', description: 'counted since the namespace was opened' },
)
export type PagesReport = Static<typeof PagesReport>

const column = (description: string, maximum?: number) =>
  Type.Array({ ...Count, ...(maximum !== undefined && { maximum }) }, { maxItems: 4096, description })

export const PageMap = Type.Object(
  {
    pages: { ...Count, description: 'in the file' },
    pagesPerCell: { ...Count, description: 'the last cell may have fewer' },
    kinds: Type.Array(PageKind, { description: 'what `kind` counts in' }),
    used: column('pages that hold something'),
    kind: Type.Array(Type.Integer({ minimum: -1 }), {
      maxItems: 4096,
      description: 'what most of these are: a place in `kinds`; -1 where there are none',
    }),
    fillPercent: column('how full those are, on average', 100),
    heat: column("0 to 255: the share of all the cell's pages that are in the cache and were visited lately", 255),
    age: column(
      "0 to 255: how many 255ths of the log's ring lie behind the newest change; 255 for what is older or not known",
      255,
    ),
  },
  { title: 'PageMap', description: 'the pages in cells of neighbours: one number a cell' },
)
export type PageMap = Static<typeof PageMap>

export const PageSizes = Type.Object(
  {
    samples: { ...Count, description: 'reads in the sample' },
    samplesNeeded: { ...Count, description: 'so many there have to be before `sizes` says anything' },
    since: Timestamp,
    sizes: Type.Array(
      Type.Object({
        pageBytes: Bytes,
        missesPerRead: Type.Number({ minimum: 0, description: 'pages that a read of a body gets from the disk' }),
        readBytesPerRead: Type.Number({ minimum: 0, description: 'the same in bytes' }),
      }),
      { description: 'the smallest first; empty until there are samples enough' },
    ),
  },
  { title: 'PageSizes', description: 'on average, with as much cache, from a sample of the newest reads of bodies' },
)
export type PageSizes = Static<typeof PageSizes>

export const PageMapQuery = Type.Object(
  {
    cells: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 4096, description: 'most cells of the map; 1024 unless given' }),
    ),
  },
  { additionalProperties: false },
)
