// Streams: steps over records, and what comes to their end.
import { type Static, Type } from 'typebox'
import { Count, Threads } from './quantities.js'
import { DamagedRecord, DataRow } from './records.js'
import { Aggregated, Grouped, SegmentList, StreamSummary } from './search.js'
import { SetChoice } from './words.js'

export const StreamRequest = Type.Object(
  {
    set: Type.Optional(SetChoice),
    steps: Type.Unknown({
      description:
        'what every element goes through, in this order, at most 32: {"filter":<where>}, {"map":<select>}, {"flatMap":{"bin","path","as"}}, ' +
        '{"distinct":true}, {"sort":{"bin","path" or "meta","desc","limit"}}, {"limit":n}; at the end perhaps {"count":true}, ' +
        '{"reduce":<aggregate>} or {"groupBy":{"by":[..],"aggregate","top","order","desc"}}; the forms are those of queries (docs/streams.md)',
      examples: [[{ filter: { bin: 'type', op: 'eq', value: 'PushEvent' } }, { count: true }]],
    }),
    segments: Type.Optional(SegmentList),
    threads: Type.Optional(Threads),
    recordsPerSecond: Type.Optional(Type.Integer({ minimum: 0, description: 'the throttle; 0 = none' })),
    explain: Type.Optional(
      Type.Boolean({
        description: 'answer how the records would be found: the plan of a query with the first filters',
      }),
    ),
  },
  {
    title: 'StreamRequest',
    additionalProperties: false,
    examples: [
      {
        set: 'events',
        steps: [
          { filter: { bin: 'type', op: 'eq', value: 'PushEvent' } },
          { flatMap: { bin: 'payload', path: 'commits', as: 'commit' } },
          { map: [{ bin: 'commit', path: 'author.email', as: 'email' }] },
          { distinct: true },
          { count: true },
        ],
      },
    ],
  },
)
export type StreamRequest = Static<typeof StreamRequest>

export const StreamRows = Type.Object(
  {
    rows: Type.Array(Type.Union([DataRow, DamagedRecord, Type.Record(Type.String(), Type.Unknown())]), {
      description:
        'records, or behind map or flatMap an object of the columns of each row; what stands for damaged ones',
    }),
    jobId: Type.String(),
    summary: StreamSummary,
  },
  { title: 'StreamRows' },
)

export const StreamCount = Type.Object(
  { count: Count, jobId: Type.String(), summary: StreamSummary },
  { title: 'StreamCount' },
)

export const StreamReduced = Type.Object(
  { reduce: Aggregated.properties.aggregate, jobId: Type.String(), summary: StreamSummary },
  { title: 'StreamReduced' },
)

/** What each end of a stream answers. */
export const StreamAnswer = Type.Union([StreamRows, StreamCount, StreamReduced, Grouped])
