// The pages of a paged namespace: cache, log and checkpoints, the map of the file, and the cost of other page sizes.
import { type Static, Type } from 'typebox'
import { pageMap, pageSizes, pagesReport } from '../examples/storage.js'
import { bytes, count, flag, text, timestamp } from '../quantities.js'
import { choice } from '../words.js'

const PageKind = text(
  'Kind of page: `segment`, `inner`, `leaf`, `slot_map`, `directory`, `extents`, `data`, `overflow` or `namespace`.',
)
const times = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }))

export const PageKindUse = Type.Object(
  {
    kind: PageKind,
    cached: count('Pages in the cache now.'),
    hits: count('Page reads answered from the cache.'),
    misses: count('Page reads answered from the disk.'),
  },
  { title: 'PageKindUse', description: 'How the cache serves one kind of page.' },
)
export type PageKindUse = Static<typeof PageKindUse>

export const Checkpoint = Type.Object(
  {
    begunAt: timestamp('When it began'),
    tookMs: Type.Number({ minimum: 0, description: 'Duration so far or in total, in milliseconds.' }),
    pages: count('Pages it wrote.'),
    logBytes: bytes('Log that it made unnecessary'),
    cause: choice(['log', 'time', 'asked', 'close'], {
      description:
        'Why it ran. `log`: much of the log was needed. `time`: the interval passed. `asked`: a call asked for it. ' +
        '`close`: the namespace closed.',
    }),
    whole: flag('True if it ended well. False if it failed or still runs.'),
  },
  { title: 'Checkpoint', description: 'A checkpoint.' },
)
export type Checkpoint = Static<typeof Checkpoint>

export const PagesReport = Type.Object(
  {
    namespace: text('Name of the namespace.'),
    at: timestamp('When the figures were taken'),
    pageBytes: bytes('Size of a page'),
    pages: count('Pages in the file.'),
    freePages: count('Pages in unused extents. Other extents may have free pages too; the map counts both.'),
    cache: Type.Object(
      {
        bytes: bytes('Memory for pages'),
        frames: count('Pages the cache may hold.'),
        used: count('Pages the cache holds.'),
        dirty: count('Cached pages that are newer than on the disk.'),
        kinds: Type.Array(PageKindUse, { description: 'Use by kind of page.' }),
      },
      { description: 'The page cache.' },
    ),
    log: Type.Object(
      {
        ringBytes: bytes('Size of the ring: the most that may be needed at once'),
        neededBytes: bytes('Log that a recovery would read now'),
        end: bytes('Position after the last log record, since the log was created'),
        durable: bytes('Position up to which the log is on stable storage'),
        records: count('Log records.'),
        imageBytes: bytes('Whole pages logged to protect against torn writes'),
        syncs: count('Syncs of the log.'),
      },
      { description: 'The write-ahead log.' },
    ),
    checkpoints: Type.Array(Checkpoint, { maxItems: 64, description: 'The last 64 checkpoints, newest last.' }),
    traffic: Type.Object(
      {
        recordsReadBytes: bytes('Records read for callers'),
        recordsWrittenBytes: bytes('Records written for callers'),
        pagesReadBytes: bytes('Pages read from the disk, without those of the start'),
        pagesWrittenBytes: bytes('Pages written to the disk, by checkpoints too'),
        logWrittenBytes: bytes('Log written, including blocks that were written again'),
        readAmplification: times('`pagesReadBytes` divided by `recordsReadBytes`. Unset before the first read.'),
        writeAmplification: times(
          '`pagesWrittenBytes` plus `logWrittenBytes`, divided by `recordsWrittenBytes`. Unset before the first write.',
        ),
      },
      { description: 'Traffic for callers and on the disk.' },
    ),
  },
  {
    title: 'PagesReport',
    description: 'Cache, log and checkpoints of a paged namespace, counted since it was opened.',
    examples: [pagesReport],
  },
)
export type PagesReport = Static<typeof PagesReport>

const column = (description: string, maximum?: number) =>
  Type.Array(
    Type.Integer({ minimum: 0, description: 'Value of one cell.', ...(maximum !== undefined && { maximum }) }),
    { maxItems: 4096, description },
  )

export const PageMap = Type.Object(
  {
    pages: count('Pages in the file.'),
    pagesPerCell: count('Pages per cell. The last cell may have fewer.'),
    kinds: Type.Array(PageKind, { description: 'Kinds of pages. `kind` holds positions in this list.' }),
    used: column('Pages in use.'),
    kind: Type.Array(Type.Integer({ minimum: -1 }), {
      maxItems: 4096,
      description: 'Most common kind of the used pages, as a position in `kinds`. -1: no used page.',
    }),
    fillPercent: column('Average fill of the used pages, in percent.', 100),
    heat: column('Share of all pages that are cached and were visited lately, 0 to 255.', 255),
    age: column(
      'Age of the newest change, 0 to 255: the part of the log ring written since. 255: older or not known.',
      255,
    ),
  },
  { title: 'PageMap', description: 'The pages in cells of neighbouring pages.', examples: [pageMap] },
)
export type PageMap = Static<typeof PageMap>

export const PageSizes = Type.Object(
  {
    samples: count('Reads in the sample.'),
    samplesNeeded: count('Reads needed before `sizes` is filled.'),
    since: timestamp('When the sample began'),
    sizes: Type.Array(
      Type.Object({
        pageBytes: bytes('Page size'),
        missesPerRead: Type.Number({ minimum: 0, description: 'Pages read from the disk per read of a body.' }),
        readBytesPerRead: Type.Number({ minimum: 0, description: 'Bytes read from the disk per read of a body.' }),
      }),
      { description: 'Estimates by page size, smallest first. Empty until the sample is large enough.' },
    ),
  },
  {
    title: 'PageSizes',
    description: 'Estimated cost of a read by page size, with the same amount of cache.',
    examples: [pageSizes],
  },
)
export type PageSizes = Static<typeof PageSizes>

export const PageMapQuery = Type.Object(
  {
    cells: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 4096,
        description: 'Most cells in the map, 1 to 4096. Default: 1024.',
        examples: [256],
      }),
    ),
  },
  { additionalProperties: false },
)
