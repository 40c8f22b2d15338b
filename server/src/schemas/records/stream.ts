// Streams: steps over records, and their results.
import { type Static, Type } from 'typebox'
import { counted } from '../examples/search.js'
import { count, RecordsPerSecond, text, Threads } from '../quantities.js'
import { DamagedRecord, DataRow } from './records.js'
import { Aggregated, Grouped, SegmentList, StreamSummary } from './search.js'
import { SetChoice } from '../words.js'

export const StreamRequest = Type.Object(
  {
    set: Type.Optional(SetChoice),
    steps: Type.Unknown({
      description:
        'Steps that every element passes, in this order, at most 32: `{"filter": <where>}`, `{"map": <select>}`, ' +
        '`{"flatMap": {"bin", "path", "as"}}`, `{"distinct": true}`, `{"sort": {"bin", "path" or "meta", "desc", "limit"}}`, ' +
        '`{"limit": n}`. The last step may be `{"count": true}`, `{"reduce": <aggregate>}` or ' +
        '`{"groupBy": {"by": [..], "aggregate", "top", "order", "desc"}}`. The parts are those of queries; see docs/streams.md.',
      examples: [[{ filter: { bin: 'event_type', op: 'eq', value: 'PushEvent' } }, { count: true }]],
    }),
    segments: Type.Optional(SegmentList),
    threads: Type.Optional(Threads),
    recordsPerSecond: Type.Optional(RecordsPerSecond),
    explain: Type.Optional(
      Type.Boolean({
        description:
          'Answer how the records would be found, and read none: the plan of a query with the first filters. Default: false.',
      }),
    ),
  },
  {
    title: 'StreamRequest',
    description: 'The records to read, and the steps they pass.',
    additionalProperties: false,
    examples: [
      {
        set: 'events',
        steps: [
          { filter: { bin: 'event_type', op: 'eq', value: 'PushEvent' } },
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

const jobId = text('Id of the job.')

export const StreamRows = Type.Object(
  {
    rows: Type.Array(Type.Union([DataRow, DamagedRecord, Type.Record(Type.String(), Type.Unknown())]), {
      description: 'Records; after `map` or `flatMap`, one object of columns per row.',
    }),
    jobId,
    summary: StreamSummary,
  },
  { title: 'StreamRows', description: 'The elements that passed all steps.' },
)

export const StreamCount = Type.Object(
  { count: count('Elements that passed all steps.'), jobId, summary: StreamSummary },
  { title: 'StreamCount', description: 'The result of a stream that ends with `count`.', examples: [counted] },
)

export const StreamReduced = Type.Object(
  { reduce: Aggregated.properties.aggregate, jobId, summary: StreamSummary },
  { title: 'StreamReduced', description: 'The result of a stream that ends with `reduce`.' },
)

/** Answers of a stream, by its last step. */
export const StreamAnswer = Type.Union([StreamRows, StreamCount, StreamReduced, Grouped])
