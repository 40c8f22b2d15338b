import { type Static, Type } from 'typebox'
import { page } from './pages.js'
import { Count, Threads, Timestamp } from './quantities.js'
import { choice } from './words.js'

export const JobKind = choice(['index-build', 'set-index-build', 'scan', 'query', 'import', 'export', 'truncate'])

export const JobState = choice(['queued', 'running', 'paused', 'done', 'failed', 'aborted'])

export const Job = Type.Object(
  {
    id: Type.String(),
    kind: JobKind,
    namespace: Type.String(),
    set: Type.Optional(Type.String()),
    title: Type.String(),
    parameters: Type.Record(Type.String(), Type.Unknown()),
    state: JobState,
    done: Count,
    total: Type.Optional(Count),
    unit: choice(['records', 'bytes', 'segments']),
    ratePerSecond: Type.Number(),
    etaSeconds: Type.Optional(Type.Number()),
    threads: Count,
    recordsPerSecond: Type.Optional(Type.Number({ description: 'the throttle' })),
    createdAt: Timestamp,
    startedAt: Type.Optional(Timestamp),
    endedAt: Type.Optional(Timestamp),
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
