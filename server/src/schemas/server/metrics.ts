import { type Static, Type } from 'typebox'
import { DeviceLoad } from '../namespaces/device.js'
import { AlertHealth } from '../alerts/health.js'
import { metricsFrame } from '../examples/metrics.js'
import { GatewayUse } from './gateway.js'
import { Job } from '../jobs/jobs.js'
import { MemoryBytes } from './memory.js'
import { bytes, count, Duration, milliseconds, moment, number, text, timestamp } from '../quantities.js'
import { choice } from '../words.js'

export const Operation = choice(['get', 'put', 'update', 'delete', 'batch', 'scan', 'query', 'index-lookup'], {
  description: 'Kind of operation.',
  examples: ['get'],
})
export type Operation = Static<typeof Operation>

/** Upper edges of `slo`, nanoseconds. */
export const sloEdgesNs = [
  50_000, 100_000, 250_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 50_000_000, 100_000_000,
  1_000_000_000,
] as const

/** The members of a histogram. */
export const histogram = {
  count: count('Operations.'),
  sumNs: number('Sum of latencies, in nanoseconds.'),
  sumSquaresNs: number('Sum of squared latencies, in square nanoseconds.'),
  maxNs: number('Longest latency, in nanoseconds.'),
  overflow: count('Operations that took longer than the last bucket, 69 s.'),
  slo: Type.Array(count('Operations.'), {
    description: 'Exact counts at or under 50, 100, 250 and 500 us, 1, 2, 5, 10, 50 and 100 ms, and 1 s.',
  }),
  buckets: Type.Array(count('Bucket number or count.'), {
    description:
      'Histogram as flat pairs of bucket number and count, ascending. Log-linear in nanoseconds: 16 buckets per ' +
      'octave, 128 ns to 68.7 s, 464 buckets. Bucket 0 also counts shorter latencies.',
  }),
}

export const LatencySeries = Type.Object(
  {
    namespace: text('Name of the namespace.'),
    op: Operation,
    outcome: choice(['ok', 'error'], { description: 'Whether the operations succeeded.' }),
    side: choice(['engine', 'gateway'], {
      description: '`engine`: request decoded to reply ready. `gateway`: HTTP request in to last byte out.',
    }),
    ...histogram,
  },
  { title: 'LatencySeries', description: 'Latency of one kind of operation over one interval.' },
)
export type LatencySeries = Static<typeof LatencySeries>

export const Mark = Type.Object(
  {
    time: timestamp('When it happened'),
    kind: text('Kind of event.'),
    text: text('What happened, in a few words.'),
    jobId: Type.Optional(text('Id of the job it belongs to.')),
    namespace: Type.Optional(text('Namespace that it is about. Unset: the whole server.')),
  },
  { title: 'Mark', description: 'An event to draw on the charts.' },
)

export const NamespaceSize = Type.Object(
  {
    namespace: text('Name of the namespace.'),
    records: count('Records.'),
    bytes: bytes('Stored data of these records, headers included'),
  },
  { title: 'NamespaceSize', description: 'What a namespace holds.' },
)

export const MetricsFrame = Type.Object(
  {
    seq: Type.Integer({ description: 'Number of the frame, ascending.' }),
    time: timestamp('End of the interval'),
    durationMs: milliseconds('Length of the interval'),
    latency: Type.Array(LatencySeries, { description: 'Latency by namespace and operation.' }),
    process: Type.Object(
      {
        cpuPercent: number('CPU use, in percent of one core.'),
        residentBytes: bytes('Resident memory'),
      },
      { description: 'The server process.' },
    ),
    memory: Type.Optional(MemoryBytes),
    device: Type.Optional(
      Type.Object(
        {
          readBytesPerSecond: number('Read throughput, in bytes per second.'),
          writeBytesPerSecond: number('Write throughput, in bytes per second.'),
          readsPerSecond: number('Reads per second.'),
          writesPerSecond: number('Writes per second.'),
          syncsPerSecond: number('Syncs per second.'),
        },
        { description: 'The disks of all namespaces together. Only for callers who see all of them, as `memory`.' },
      ),
    ),
    devices: Type.Array(DeviceLoad, { description: 'The disks of each namespace that has some.' }),
    sizes: Type.Array(NamespaceSize, { description: 'What each open namespace holds at the end of the interval.' }),
    marks: Type.Array(Mark, { description: 'Events of the interval.' }),
  },
  { title: 'MetricsFrame', description: 'Metrics of one interval.' },
)
export type MetricsFrame = Static<typeof MetricsFrame>

export const liveTopics = ['latency', 'process', 'memory', 'device', 'marks', 'jobs', 'health'] as const
export type LiveTopic = (typeof liveTopics)[number]

const onlyOf = Type.Optional(
  Type.String({
    maxLength: 63,
    description: 'Only the latency, the disks and the size of this namespace. Unset: all namespaces.',
    examples: ['shop'],
  }),
)

export const LiveQuery = Type.Object(
  {
    topics: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          `Comma-separated topics: ${liveTopics.join(', ')}. \`device\` includes \`devices\`; ` +
          '`process` includes `gateway`, `memory` includes `sizes`, `health` is that of the alerts. Unset: all.',
        examples: ['latency,jobs'],
      }),
    ),
    namespace: onlyOf,
  },
  { additionalProperties: false },
)

/** The data that `GET /api/v1/live` sends once per second as `event: frame`, without topics that were not requested. */
export const LiveFrame = Type.Intersect(
  [
    Type.Pick(MetricsFrame, ['seq', 'time', 'durationMs']),
    Type.Partial(Type.Pick(MetricsFrame, ['latency', 'process', 'memory', 'device', 'devices', 'sizes', 'marks'])),
    Type.Object({
      jobs: Type.Optional(Type.Array(Job, { description: 'Running jobs.' })),
      gateway: Type.Optional(GatewayUse),
      health: Type.Optional(AlertHealth),
    }),
  ],
  {
    title: 'LiveFrame',
    description: 'The data of one `frame` event. Topics that you did not ask for are left out.',
    examples: [metricsFrame],
  },
)
export type LiveFrame = Static<typeof LiveFrame>

export const HistoryQuery = Type.Object(
  {
    from: Type.Optional(
      moment('Start of the range, RFC 3339. Default: 15 minutes before `to`.', '2026-01-31T12:00:00Z'),
    ),
    to: Type.Optional(moment('End of the range, RFC 3339. Default: now.', '2026-01-31T12:15:00Z')),
    step: Type.Optional({
      ...Duration,
      description:
        'Length of a frame, such as `5s` or `1m`; at least one second. Default: about 300 frames in the range. Longer ' +
        'if the range lies further back than such frames are kept.',
    }),
    namespace: onlyOf,
    op: Type.Optional({ ...Operation, description: 'Only the latency of this operation. Unset: all operations.' }),
  },
  { additionalProperties: false },
)
export type HistoryQuery = Static<typeof HistoryQuery>

export const History = Type.Object(
  {
    items: Type.Array(MetricsFrame, { description: 'The frames, oldest first.' }),
    from: timestamp('Start of the range'),
    to: timestamp('End of the range'),
    stepSeconds: Type.Integer({ description: 'Length of a frame, in seconds; at least `step`.' }),
  },
  {
    title: 'History',
    description: 'Metrics of a range of time.',
    examples: [
      {
        items: [metricsFrame],
        from: '2026-11-24T15:20:40.000Z',
        to: '2026-11-24T15:35:40.000Z',
        stepSeconds: 5,
      },
    ],
  },
)
