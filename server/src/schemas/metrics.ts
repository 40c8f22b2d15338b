import { type Static, Type } from 'typebox'
import { DeviceLoad } from './device.js'
import { GatewayUse } from './gateway.js'
import { MemoryBytes } from './memory.js'
import { Count, Duration, Timestamp } from './quantities.js'
import { choice } from './words.js'
import { Job } from './jobs.js'

export const Operation = choice(['get', 'put', 'update', 'delete', 'batch', 'scan', 'query', 'index-lookup'])
export type Operation = Static<typeof Operation>

/** Upper edges of `slo`, nanoseconds. */
export const sloEdgesNs = [
  50_000, 100_000, 250_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 50_000_000, 100_000_000,
  1_000_000_000,
] as const

export const LatencySeries = Type.Object(
  {
    namespace: Type.String(),
    op: Operation,
    outcome: choice(['ok', 'error']),
    side: choice(['engine', 'gateway'], {
      description: 'engine: request decoded to reply ready; gateway: HTTP in to last byte',
    }),
    count: Count,
    sumNs: Type.Number(),
    sumSquaresNs: Type.Number(),
    maxNs: Type.Number(),
    overflow: Count,
    slo: Type.Array(Count, {
      description: 'exact counts at or under 50, 100, 250, 500 us, 1, 2, 5, 10, 50, 100 ms, 1 s',
    }),
    buckets: Type.Array(Count, {
      description:
        'flat pairs: bucket index, count; ascending. Log-linear in nanoseconds: 16 sub-buckets an octave, 128 ns to 64 s, 464 buckets; bucket 0 also holds underflow',
    }),
  },
  { title: 'LatencySeries' },
)
export type LatencySeries = Static<typeof LatencySeries>

export const Mark = Type.Object(
  { time: Timestamp, kind: Type.String(), text: Type.String(), jobId: Type.Optional(Type.String()) },
  { title: 'Mark', description: 'an event to draw on the charts' },
)

export const MetricsFrame = Type.Object(
  {
    seq: Type.Integer(),
    time: Timestamp,
    durationMs: Type.Number(),
    latency: Type.Array(LatencySeries),
    process: Type.Object({ cpuPercent: Type.Number(), residentBytes: Count }),
    memory: MemoryBytes,
    device: Type.Object(
      {
        readBytesPerSecond: Type.Number(),
        writeBytesPerSecond: Type.Number(),
        readsPerSecond: Type.Number(),
        writesPerSecond: Type.Number(),
        syncsPerSecond: Type.Number(),
      },
      { description: 'the disks of all namespaces together' },
    ),
    devices: Type.Array(DeviceLoad, { description: 'the disks of each device namespace' }),
    marks: Type.Array(Mark),
  },
  { title: 'MetricsFrame' },
)
export type MetricsFrame = Static<typeof MetricsFrame>

export const liveTopics = ['latency', 'process', 'memory', 'device', 'marks', 'jobs'] as const
export type LiveTopic = (typeof liveTopics)[number]

export const LiveQuery = Type.Object(
  {
    topics: Type.Optional(
      Type.String({
        maxLength: 200,
        description: `comma-separated, of ${liveTopics.join(', ')}; absent = all; device means device and devices, process means process and gateway`,
        examples: ['latency,jobs'],
      }),
    ),
    namespace: Type.Optional(
      Type.String({ maxLength: 63, description: 'only the latency and the disks of this namespace' }),
    ),
  },
  { additionalProperties: false },
)

/** What `GET /api/v1/live` sends once a second as `event: frame`; parts that were not asked for are absent. */
export const LiveFrame = Type.Intersect(
  [
    Type.Pick(MetricsFrame, ['seq', 'time', 'durationMs']),
    Type.Partial(Type.Pick(MetricsFrame, ['latency', 'process', 'memory', 'device', 'devices', 'marks'])),
    Type.Object({ jobs: Type.Optional(Type.Array(Job)), gateway: Type.Optional(GatewayUse) }),
  ],
  { title: 'LiveFrame' },
)
export type LiveFrame = Static<typeof LiveFrame>

export const HistoryQuery = Type.Object(
  {
    from: Type.Optional(Type.String({ format: 'date-time', description: 'RFC 3339; absent = 15 minutes before `to`' })),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'RFC 3339; absent = now' })),
    step: Type.Optional(Duration),
    namespace: Type.Optional(Type.String({ maxLength: 63 })),
    op: Type.Optional(Operation),
  },
  { additionalProperties: false },
)
export type HistoryQuery = Static<typeof HistoryQuery>

export const History = Type.Object(
  { items: Type.Array(MetricsFrame), from: Timestamp, to: Timestamp, stepSeconds: Type.Integer() },
  { title: 'History' },
)
