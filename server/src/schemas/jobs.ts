import { type Static, Type } from 'typebox'
import { page } from './pages.js'
import { Before, Count, Threads, Timestamp } from './quantities.js'
import { Aggregate, PlanChoice, Sample, UseIndex, Where } from './search.js'
import { choice, Name, SetChoice } from './words.js'

export const JobKind = choice([
  'index-build',
  'set-index-build',
  'scan',
  'count',
  'query',
  'stream',
  'import',
  'export',
  'truncate',
  'workload',
  'scrub',
  'calibrate',
  'compaction',
])

export const JobState = choice(['queued', 'running', 'paused', 'done', 'failed', 'aborted'])

export const JobLane = Type.Object(
  {
    worker: { ...Count, description: 'from 0; the number of one that has left is given again' },
    state: choice(['working', 'throttled', 'paused', 'sending'], {
      description: 'throttled: it waits for recordsPerSecond; sending: it waits for whoever reads the stream',
    }),
    item: Type.Optional({
      ...Count,
      description:
        'the part of the work that it is at, from 0: a segment, a range of a flat container, or a run of blocks of a device',
    }),
    items: Type.Optional({ ...Count, description: 'how many parts there are, for all workers together' }),
    done: { ...Count, description: "in the job's unit, by those that had its number before it too" },
    ratePerSecond: Type.Number(),
  },
  { title: 'JobLane' },
)

export const Job = Type.Object(
  {
    id: Type.String(),
    kind: JobKind,
    namespace: Type.String(),
    set: Type.Optional(Type.String()),
    title: Type.String(),
    parameters: Type.Record(Type.String(), Type.Unknown()),
    tag: Type.Optional(Type.String({ description: 'what the caller named it by: `tag` of an import' })),
    who: Type.Optional(
      Type.String({ description: 'who asked for it: token, console, or local where nobody has to log in' }),
    ),
    state: JobState,
    reason: Type.Optional(
      Type.String({
        description:
          'why it is paused, where nobody asked for it: "upload broke off" of an import that waits for the rest',
      }),
    ),
    done: Count,
    total: Type.Optional(Count),
    unit: choice(['records', 'bytes', 'segments', 'operations']),
    ratePerSecond: Type.Number(),
    etaSeconds: Type.Optional(Type.Number()),
    threads: Count,
    recordsPerSecond: Type.Optional(Type.Number({ description: 'the throttle; of a scrub, bytes a second' })),
    createdAt: Timestamp,
    startedAt: Type.Optional(Timestamp),
    endedAt: Type.Optional(Timestamp),
    damaged: { ...Count, description: 'records that could not be read and were left out' },
    damage: Type.Optional(
      Type.Array(Type.Object({ set: Type.String(), digest: Type.String(), message: Type.String() }), {
        description: 'the first 1,000 of them; not in lists, and not after a restart',
      }),
    ),
    lanes: Type.Optional(
      Type.Array(JobLane, {
        maxItems: 128,
        description:
          'its workers, while they are at work: scans, counts, queries, exports, imports and index builds have them; not in lists, and not after the end',
      }),
    ),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    result: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { title: 'Job' },
)
export type Job = Static<typeof Job>

export const JobPage = page(Job, 'JobPage')

export const JobPatch = Type.Object(
  {
    threads: Type.Optional(Threads),
    recordsPerSecond: Type.Optional(Type.Number({ minimum: 0, description: 'the throttle; 0 = none' })),
    paused: Type.Optional(Type.Boolean()),
  },
  { title: 'JobPatch', additionalProperties: false, minProperties: 1, examples: [{ threads: 4 }] },
)
export type JobPatch = Static<typeof JobPatch>

/** Every kind has these fields, and those of its own that it takes; the others are refused by name. */
export const JobRequest = Type.Object(
  {
    kind: Type.String({
      minLength: 1,
      maxLength: 32,
      description:
        'scan: read every record, count records and bytes; count: count what matches; ' +
        'truncate: delete all, or what was last updated before a time; scrub: read all that a device namespace stores, to find damage; ' +
        'calibrate: measure what its devices cost a scan; compaction: give the room of half-empty pages of a paged namespace back',
    }),
    namespace: Name,
    set: Type.Optional({
      ...SetChoice,
      description: 'name of a set; of a scan or a count, empty = records without a set; absent = all records',
    }),
    where: Type.Optional(Where),
    sample: Type.Optional(Sample),
    aggregate: Type.Optional(Aggregate),
    before: Type.Optional(Before),
    useIndex: Type.Optional(UseIndex),
    plan: Type.Optional(PlanChoice),
    threads: Type.Optional(Threads),
    recordsPerSecond: Type.Optional(Type.Integer({ minimum: 0, description: 'the throttle; 0 = none' })),
    bytesPerSecond: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 32 - 1,
        description: 'the throttle of a scrub, 64 MiB by default; 0 = none',
      }),
    ),
  },
  {
    title: 'JobRequest',
    additionalProperties: false,
    examples: [{ kind: 'count', namespace: 'demo', set: 'events', threads: 2 }],
  },
)
export type JobRequest = Static<typeof JobRequest>
