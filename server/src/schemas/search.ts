// Query, scan and export. `where` is checked by the core, which reads its 64-bit numbers exactly.
import { type Static, Type } from 'typebox'
import { Count, Threads } from './quantities.js'
import { choice, SetChoice } from './words.js'
import { RecordOrDamage } from './records.js'

export const Where = Type.Unknown({
  description:
    '{"and":[..]}, {"or":[..]}, {"not":{..}}, {"bin":"b","op":"eq|ne|lt|le|gt|ge|in|prefix|exists","value":..,"path":"a.b"}, ' +
    'or {"bin":"payload","op":"contains","value":{..}}',
  examples: [{ bin: 'payload', op: 'contains', value: { commits: [{ author: { email: 'test@gmail.com' } }] } }],
})

export const UseIndex = choice(['auto', 'force', 'never'])

const BinNames = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 4096 })
const Cursor = Type.String({ minLength: 1, maxLength: 4096 })
const Limit = Type.Integer({ minimum: 1, description: 'most records; a page of JSON has 1000 unless given' })

export const QueryRequest = Type.Object(
  {
    set: Type.Optional(SetChoice),
    where: Type.Optional(Where),
    select: Type.Optional(BinNames),
    route: Type.Optional(
      Type.Unknown({
        description: "the set's distribution bin value: only its segment is asked",
        examples: [17330407],
      }),
    ),
    limit: Type.Optional(Limit),
    cursor: Type.Optional(Cursor),
    threads: Type.Optional(Threads),
    explain: Type.Optional(Type.Boolean({ description: 'answer the plan instead of records' })),
  },
  {
    title: 'QueryRequest',
    additionalProperties: false,
    examples: [
      {
        set: 'events',
        where: { bin: 'payload', op: 'contains', value: { commits: [{ author: { email: 'test@gmail.com' } }] } },
        limit: 100,
      },
    ],
  },
)
export type QueryRequest = Static<typeof QueryRequest>

export const ScanRequest = Type.Object(
  {
    set: Type.Optional(SetChoice),
    threads: Type.Optional(Threads),
    recordsPerSecond: Type.Optional(Type.Integer({ minimum: 0, description: 'the throttle; 0 = none' })),
    bins: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 4096, description: '[] = no bins' }),
    ),
    where: Type.Optional(Where),
    useIndex: Type.Optional(UseIndex),
    limit: Type.Optional(Limit),
    cursor: Type.Optional(Cursor),
    explain: Type.Optional(Type.Boolean({ description: 'answer the plan instead of records' })),
  },
  {
    title: 'ScanRequest',
    additionalProperties: false,
    examples: [{ set: 'events', threads: 2, bins: ['event_type'] }],
  },
)
export type ScanRequest = Static<typeof ScanRequest>

export const StreamSummary = Type.Object(
  {
    returned: Count,
    scanned: Count,
    damaged: { ...Count, description: 'records that could not be read and were left out' },
    candidates: Count,
    elapsedMs: Type.Number(),
    threads: Count,
    method: Type.String(),
    truncated: Type.Boolean(),
    cursor: Type.Optional(Type.String()),
  },
  { title: 'StreamSummary' },
)
export type StreamSummary = Static<typeof StreamSummary>

export const Records = Type.Object(
  { records: Type.Array(RecordOrDamage), jobId: Type.String(), summary: StreamSummary },
  { title: 'Records' },
)

export const ScanPlan = Type.Object(
  {
    method: choice(['set-index', 'set-column', 'all']),
    estimatedRecords: Count,
    namespaceRecords: Count,
    segments: Count,
    threads: Count,
    reason: Type.String(),
    alternatives: Type.Array(Type.Object({ method: Type.String(), estimatedMs: Type.Number() })),
  },
  { title: 'ScanPlan' },
)
export type ScanPlan = Static<typeof ScanPlan>

export const QueryPlan = Type.Object(
  {
    method: choice(['document-index', 'range-index', 'set-index', 'set-column', 'all']),
    index: Type.Optional(Type.String()),
    segments: Count,
    estimatedCandidates: Count,
    terms: Type.Optional(Count),
    reason: Type.String(),
  },
  { title: 'QueryPlan' },
)
export type QueryPlan = Static<typeof QueryPlan>
