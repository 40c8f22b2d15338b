import { type Static, Type } from 'typebox'
import { job } from '../examples/jobs.js'
import { page } from '../pages.js'
import { Said } from '../sentence.js'
import { Before, count, number, RecordsPerSecond, text, Threads, timestamp } from '../quantities.js'
import { failure } from '../failure.js'
import { Aggregate, PlanChoice, Sample, UseIndex, Where } from '../records/search.js'
import { choice, NamespaceName, SetChoice } from '../words.js'
import { owner } from '../kept.js'

export const JobKind = choice(
  [
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
    'migrate',
    'backup',
    'restore',
    'verify',
  ],
  { description: 'Kind of work.', examples: ['import'] },
)

export const JobState = choice(['queued', 'running', 'paused', 'done', 'failed', 'aborted'], {
  description: 'State of the job. `done`, `failed` and `aborted` are final.',
  examples: ['running'],
})

export const JobLane = Type.Object(
  {
    worker: count('Number of the worker, from 0. The number of a worker that left is reused.'),
    state: choice(['working', 'throttled', 'paused', 'sending'], {
      description: '`throttled`: it waits for `recordsPerSecond`. `sending`: it waits for the reader of the stream.',
    }),
    item: Type.Optional(
      count('The part it works on, from 0: a segment, a range of a flat container, or a run of blocks of a device.'),
    ),
    items: Type.Optional(count('Number of parts, for all workers together.')),
    done: count("Work done, in the job's unit, including earlier workers with this number."),
    ratePerSecond: number("Current rate, in the job's unit per second."),
  },
  { title: 'JobLane', description: 'What one worker of a job does.' },
)

/** Most points of the progress of a job. */
const PROGRESS_MAX = 120

export const JobProgress = Type.Object(
  {
    stepMs: count('Time between two points, in milliseconds.'),
    done: Type.Array(count("Work done, in the job's unit."), {
      maxItems: PROGRESS_MAX,
      description: 'Work done at each point. The first one is `stepMs` after `startedAt`.',
    }),
  },
  {
    title: 'JobProgress',
    description:
      'How far a job was over time, if it took longer than a second. Not in lists. It begins with a point per second. If there are 120, every second one goes, and ' +
      'the step doubles.',
    examples: [{ stepMs: 1000, done: [512, 1024, 1490] }],
  },
)

export const Job = Type.Object(
  {
    id: text('Id of the job.'),
    kind: JobKind,
    namespace: text('Name of the namespace.'),
    ...owner,
    set: Type.Optional(text('Name of the set, if the job works on one.')),
    title: text('What the job does, in a few words.'),
    parameters: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Parameters, by name; they depend on the kind.',
    }),
    tag: Type.Optional(text('The `tag` of an import, chosen by its caller.')),
    who: Type.Optional(
      text('Who started it: `token`, `token:NAME`, `user:NAME`, `console`, or `local` on a server with `--no-auth`.'),
    ),
    state: JobState,
    reason: Type.Optional(text('Why it paused by itself: `upload broke off` for an import that waits for its rest.')),
    done: count('Work done so far, in `unit`.'),
    total: Type.Optional(count('All the work, in `unit`. Unset if it is not known.')),
    unit: choice(['records', 'bytes', 'segments', 'operations'], {
      description: 'Unit of `done`, `total` and `ratePerSecond`.',
    }),
    ratePerSecond: number('Current rate, in `unit` per second.'),
    etaSeconds: Type.Optional(number('Estimated time to the end, in seconds. Unset: not known, or it does not run.')),
    etaLeastSeconds: Type.Optional(
      number('The shortest time to the end that is likely, from how much the rate has varied and changed.'),
    ),
    etaMostSeconds: Type.Optional(number('The longest time to the end that is likely.')),
    threads: count('Worker threads.'),
    recordsPerSecond: Type.Optional(number('The throttle, in records per second; for a scrub, bytes per second.')),
    createdAt: timestamp('When it was created'),
    startedAt: Type.Optional(timestamp('When it started')),
    endedAt: Type.Optional(timestamp('When it ended')),
    damaged: count('Records that could not be read and were skipped.'),
    damage: Type.Optional(
      Type.Array(
        Type.Object({
          set: text('Set of the record.'),
          digest: text('Digest of the key, 40 hex digits.'),
          message: text('What is damaged.'),
          said: Said,
        }),
        { description: 'The first 1,000 damaged records. Not in lists, and not after a restart.' },
      ),
    ),
    lanes: Type.Optional(
      Type.Array(JobLane, {
        maxItems: 128,
        description:
          'Its workers, while it runs: for scans, counts, queries, exports, imports and index builds. Not in lists.',
      }),
    ),
    progress: Type.Optional(JobProgress),
    error: Type.Optional(failure('Why it failed.')),
    result: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'What it came to; the fields depend on the kind.' }),
    ),
  },
  { title: 'Job', description: 'Long-running work and its progress.', examples: [job] },
)
export type Job = Static<typeof Job>

export const JobPage = page(Job, 'JobPage', 'jobs')

export const JobPatch = Type.Object(
  {
    threads: Type.Optional(Threads),
    recordsPerSecond: Type.Optional(
      Type.Number({ minimum: 0, description: 'Throttle, in records per second. 0: no throttle.' }),
    ),
    paused: Type.Optional(Type.Boolean({ description: 'true: pause the job. false: resume it.' })),
  },
  {
    title: 'JobPatch',
    description: 'What to change. Unset fields stay as they are.',
    additionalProperties: false,
    minProperties: 1,
    examples: [{ threads: 4 }],
  },
)
export type JobPatch = Static<typeof JobPatch>

/** All fields of all kinds. A field that the kind does not take is refused by name. */
export const JobRequest = Type.Object(
  {
    kind: Type.String({
      minLength: 1,
      maxLength: 32,
      description:
        'Kind of work. `scan`: read every record, count records and bytes. `count`: count the records that match. ' +
        '`truncate`: delete all records, or those last updated before a time; it can be undone for a while. ' +
        '`scrub`: read everything a device namespace stores, to find damage. ' +
        '`calibrate`: measure what its devices cost a scan. ' +
        '`compaction`: free the room of half-empty pages in a paged namespace.',
    }),
    namespace: NamespaceName,
    set: Type.Optional(SetChoice),
    where: Type.Optional(Where),
    sample: Type.Optional(Sample),
    aggregate: Type.Optional(Aggregate),
    before: Type.Optional(Before),
    forGood: Type.Optional(
      Type.Boolean({
        description: 'Of a truncation. true: free its space at once; it cannot be undone. Unset: false.',
        examples: [true],
      }),
    ),
    useIndex: Type.Optional(UseIndex),
    plan: Type.Optional(PlanChoice),
    threads: Type.Optional(Threads),
    recordsPerSecond: Type.Optional(RecordsPerSecond),
    bytesPerSecond: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 32 - 1,
        description: 'Throttle of a scrub, in bytes per second. 0: no throttle. Default: 64 MiB.',
      }),
    ),
  },
  {
    title: 'JobRequest',
    description: 'The job to start. A field that its kind does not take is refused with `field_unknown`.',
    additionalProperties: false,
    examples: [{ kind: 'count', namespace: 'shop', set: 'events', threads: 2 }],
  },
)
export type JobRequest = Static<typeof JobRequest>
