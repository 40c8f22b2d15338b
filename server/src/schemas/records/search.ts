import { type Static, Type } from 'typebox'
import { aggregated, grouped, records } from '../examples/search.js'
import { count, flag, milliseconds, number, RecordsPerSecond, text, Threads } from '../quantities.js'
import { DamagedRecord, DataRow } from './records.js'
import { choice, SetChoice } from '../words.js'

export const Where = Type.Unknown({
  description:
    'Filter; see docs/query.md. `{"and": [..]}`, `{"or": [..]}`, `{"not": {..}}`; ' +
    '`{"bin": "b", "op": "eq|ne|lt|le|gt|ge|between|in|prefix|exists|has|hasAny|hasAll", "value": .., "path": "a.b[*].c", "any|all": "items|keys|values"}`; ' +
    '`{"bin": "payload", "op": "contains", "value": {..}}`; ' +
    '`{"meta": "generation|updatedAt|expiresAt|ttl|size|set|key", "op": .., "value": ..}`; ' +
    '`{"meta": "digest", "modulo": 100, "op": "lt", "value": 3}`; ' +
    'or a test of an expression, `{"expr": {"mul": ["price", "count"]}, "op": .., "value": ..}`. Unset: all records.',
  examples: [{ bin: 'payload', op: 'contains', value: { commits: [{ author: { email: 'test@gmail.com' } }] } }],
})

/** One shape, so that the core reports a wrong choice with its own code. */
export const Sample = Type.Object(
  {
    share: Type.Optional(
      Type.Number({
        description: 'Share of the records, chosen by digest: more than 0, at most 1.',
        examples: [0.01],
      }),
    ),
    seed: Type.Optional(
      Type.Integer({ minimum: 0, description: 'With `share`: the same seed takes the same records. Default: 0.' }),
    ),
    first: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of records, whichever are found first.' })),
  },
  {
    title: 'Sample',
    additionalProperties: false,
    description: 'Read only a part of the records: `{"share": 0.01, "seed": 1}` or `{"first": 1000}`.',
    examples: [{ share: 0.01 }],
  },
)
export type Sample = Static<typeof Sample>

export const Aggregate = Type.Unknown({
  description:
    'Answer figures instead of records, by name: `{"total": {"op": "count|sum|min|max|avg|distinct", "bin": "b", "path": "a.b"}}` or ' +
    '`{"sizes": {"op": "histogram", "meta": "size", "width": 100}}`. A histogram has `bounds`, or `width` and `from`, or ' +
    '`buckets`, `min` and `max`. An expression, `expr`, may replace `bin`.',
  examples: [{ records: { op: 'count' }, total: { op: 'sum', bin: 'price' } }],
})

export const Group = Type.Unknown({
  description:
    'Answer figures per group: `{"by": ["bin", {"bin", "path", "as"}, {"meta", "as"}, {"expr", "as"}], "aggregate": {..}, "top": 10, "order": "records", "desc": true}`. ' +
    '`aggregate` defaults to the number of records, `order` to the first aggregate, greatest first.',
  examples: [{ by: [{ bin: 'commit', path: 'author.name', as: 'who' }], top: 10 }],
})

const AggregateResult = Type.Object(
  {
    value: Type.Optional(
      Type.Union([Type.Number(), Type.Null()], { description: 'The figure. null if no number was found.' }),
    ),
    exact: Type.Optional(text('An integer beyond 2^53, with every digit.')),
    buckets: Type.Optional(
      Type.Array(
        Type.Object({
          from: number('Lower edge, inclusive.'),
          to: number('Upper edge, exclusive; inclusive in the last of `bounds`.'),
          count: count('Values in the bucket.'),
        }),
        { description: 'The buckets of a histogram that are not empty.' },
      ),
    ),
    below: Type.Optional(count('Values below the first bucket.')),
    above: Type.Optional(count('Values above the last bucket.')),
    numbers: Type.Optional(count('Values that are numbers.')),
    others: Type.Optional(count('Values that are not numbers.')),
    missing: Type.Optional(count('Records without the value.')),
  },
  { title: 'AggregateResult', description: 'One figure, or a histogram.' },
)

export const UseIndex = choice(['auto', 'force', 'never'], {
  description:
    'Use of the set index. `auto`: if it is the cheapest. `force`: always. `never`: not at all. Default: `auto`.',
})

export const PlanChoice = choice(['auto', 'set-index', 'set-column', 'device'], {
  description:
    'How to find the records. `set-column` uses the slots of the whole namespace if no set is named. ' +
    '`device` reads all blocks in order, and takes no `limit`. Default: `auto`, the cheapest.',
})

export const Order = Type.Unknown({
  description:
    '`{"bin": "b", "path": "a.b", "desc": true}`, `{"meta": "updatedAt", "desc": true}` or `{"expr": ..}`: answer the first ' +
    '`limit` records in this order, at most 100,000. Numbers come first, then strings, bytes and booleans, then records without such a value.',
  examples: [{ bin: 'price', desc: true }],
})

/** Checked by the core, which knows the number of segments. */
export const SegmentList = Type.Array(Type.Integer({ minimum: 0, maximum: 4095 }), {
  minItems: 1,
  maxItems: 4096,
  description:
    'Read only these segments, whoever owns them. Unset: the segments this node is the primary owner of; all without `ownership`.',
  examples: [[0, 1, 2]],
})

const BinName = Type.String({ minLength: 1, maxLength: 255, description: 'Name of a bin, 1 to 255 bytes.' })
const As = Type.Optional({ ...BinName, description: 'Name of the column. Unset: the last key of the path.' })
/** 32 bits, as in the core. */
const Position = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 })
const ColumnPath = Type.Union(
  [
    Type.String({ minLength: 1 }),
    Type.Array(Type.Union([Type.String(), Position]), {
      minItems: 1,
      maxItems: 64,
      examples: [['commits', 0, 'e.mail']],
    }),
  ],
  {
    description: 'Keys joined by dots, with list positions as `[0]` or `[-1]`; or a list of keys and positions.',
  },
)

/** Checked by the core, which reads its 64-bit numbers exactly. */
const Expression = Type.Unknown({
  description:
    'An expression: the name of a bin, `{"bin", "path"}`, `{"meta"}`, a number, `{"value"}`, or an operation on expressions: ' +
    '`add`, `sub`, `mul`, `div`, `mod`, `neg`, `abs`, `floor`, `ceil`, `round`, `min`, `max`, `length`, `lower`, `upper`, ' +
    '`concat`, `substring`, `coalesce`, `if`, `is`.',
  examples: [{ mul: ['price', { coalesce: ['count', 1] }] }],
})

export const Select = Type.Array(
  Type.Union([
    BinName,
    Type.Object(
      { bin: BinName, path: Type.Optional(ColumnPath), as: As },
      { title: 'Column', description: 'A bin, or the value at a path in it.', additionalProperties: false },
    ),
    Type.Object(
      { expr: Expression, as: Type.Optional({ ...BinName, description: 'Name of the column.' }) },
      { title: 'ExpressionColumn', description: 'The result of an expression.', additionalProperties: false },
    ),
  ]),
  {
    maxItems: 4096,
    description:
      'Columns of a row: names of bins, `{"bin", "path", "as"}` for the value at a path, or `{"expr", "as"}` for the result of ' +
      'an expression. At most 256 columns; 4096 if all are names and there is no `unnest`. Unset: all bins.',
    examples: [['event_id', { bin: 'actor', path: 'login', as: 'who' }]],
  },
)

export const Unnest = Type.Unknown({
  description:
    '`{"bin", "path", "as"}`: answer one row per item of this list, with the item as bin `as`, like `jsonb_array_elements` of ' +
    'PostgreSQL. Records without the list give no row. `limit` and `returned` then count rows.',
  examples: [{ bin: 'payload', path: 'commits', as: 'commit' }],
})
const Cursor = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: '`summary.cursor` of the previous answer. Unset: start at the beginning.',
})
const Limit = Type.Integer({
  minimum: 1,
  description: 'Most records or rows. Default: 1000 for a page of JSON, no limit for NDJSON and CSV.',
})

export const QueryRequest = Type.Object(
  {
    set: Type.Optional(SetChoice),
    where: Type.Optional(Where),
    sample: Type.Optional(Sample),
    aggregate: Type.Optional(Aggregate),
    group: Type.Optional(Group),
    select: Type.Optional(Select),
    unnest: Type.Optional(Unnest),
    route: Type.Optional(
      Type.Unknown({
        description: "Value of the set's distribution bin. The query reads only its segment. Unset: all segments.",
        examples: [17330407],
      }),
    ),
    limit: Type.Optional(Limit),
    cursor: Type.Optional(Cursor),
    useIndex: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: '`auto`, `never`, or the name of the document or range index to use. Default: `auto`.',
        examples: ['auto'],
      }),
    ),
    order: Type.Optional(Order),
    segments: Type.Optional(SegmentList),
    threads: Type.Optional(Threads),
    explain: Type.Optional(
      Type.Union([Type.Boolean(), Type.Literal('analyze')], {
        description:
          'true: answer the plan and read no records. `analyze`: run it, and answer what each step did. Default: false.',
      }),
    ),
  },
  {
    title: 'QueryRequest',
    description: 'What to find, and what to answer.',
    additionalProperties: false,
    examples: [
      {
        set: 'events',
        where: { bin: 'payload', op: 'contains', value: { commits: [{ author: { email: 'test@gmail.com' } }] } },
        select: ['event_id', 'repo_id'],
        unnest: { bin: 'payload', path: 'commits', as: 'commit' },
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
    recordsPerSecond: Type.Optional(RecordsPerSecond),
    bins: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 4096,
        description: 'Bins to answer. Empty: none, only metadata. Unset: all.',
      }),
    ),
    where: Type.Optional(Where),
    sample: Type.Optional(Sample),
    aggregate: Type.Optional(Aggregate),
    useIndex: Type.Optional(UseIndex),
    plan: Type.Optional(PlanChoice),
    segments: Type.Optional(SegmentList),
    segmentMarks: Type.Optional(
      Type.Boolean({
        description:
          'NDJSON: add a line `{"segmentDone": n}` after the last record of each segment. A client that was cut off then asks ' +
          'only for the other segments. Not with a limit, a cursor or aggregates. Default: false.',
      }),
    ),
    limit: Type.Optional(Limit),
    cursor: Type.Optional(Cursor),
    explain: Type.Optional(Type.Boolean({ description: 'Answer the plan and read no records. Default: false.' })),
  },
  {
    title: 'ScanRequest',
    description: 'What to read, and how fast.',
    additionalProperties: false,
    examples: [{ set: 'events', threads: 2, bins: ['event_type'] }],
  },
)
export type ScanRequest = Static<typeof ScanRequest>

export const DeviceReads = Type.Object(
  {
    records: count('Records read one at a time.'),
    blocks: count('Blocks read whole.'),
    bytes: count('Data of both, in bytes.'),
  },
  { title: 'DeviceReads', description: 'Reads of the device.' },
)

export const CsvLeftOut = Type.Object(
  {
    values: count('Number of values. null and empty cells are not counted.'),
    bins: Type.Array(Type.String(), {
      maxItems: 16,
      description: 'The first of their bins, at most 1024 bytes of names.',
    }),
  },
  {
    title: 'CsvLeftOut',
    description:
      'Values missing from the CSV: without `select`, its columns are the bins found in about the first 256 KiB. ' +
      'Unset if nothing is missing.',
  },
)

export const StreamSummary = Type.Object(
  {
    returned: count('Rows answered; with `unnest`, items.'),
    scanned: count('Records read.'),
    damaged: count('Records that could not be read and were skipped.'),
    candidates: count('Records proposed by an index.'),
    estimatedCandidates: Type.Optional(count('Estimate in the plan of a query.')),
    elapsedMs: milliseconds('Time in the engine'),
    estimatedMs: Type.Optional(milliseconds('Estimate in the plan of a scan')),
    reads: Type.Optional(DeviceReads),
    threads: count('Threads used.'),
    method: text('How the records were found, as in the plan.'),
    truncated: flag('True if more records match than were answered.'),
    others: Type.Optional(count('Groups left out because of `top`.')),
    cursor: Type.Optional(text('Pass it as `cursor` to get the next page. Unset on the last page.')),
    csvLeftOut: Type.Optional(CsvLeftOut),
  },
  { title: 'StreamSummary', description: 'What a query, scan or stream did.' },
)
export type StreamSummary = Static<typeof StreamSummary>

const jobId = text('Id of the job.')

export const Records = Type.Object(
  {
    records: Type.Array(Type.Union([DataRow, DamagedRecord]), { description: 'The records or rows.' }),
    jobId,
    summary: StreamSummary,
  },
  { title: 'Records', description: 'The records that were found.', examples: [records] },
)

const figures = Type.Record(Type.String(), AggregateResult, { description: 'The figures, by name.' })

export const Aggregated = Type.Object(
  { aggregate: figures, jobId, summary: StreamSummary },
  { title: 'Aggregated', description: 'Figures of the records that were found.', examples: [aggregated] },
)

export const Grouped = Type.Object(
  {
    groups: Type.Array(
      Type.Object({
        by: Type.Record(Type.String(), Type.Unknown(), {
          description: 'The values that the records of the group share. Missing values are left out.',
        }),
        aggregate: figures,
      }),
      { description: 'The groups.' },
    ),
    others: count('Groups left out because of `top`.'),
    jobId,
    summary: StreamSummary,
  },
  { title: 'Grouped', description: 'Figures by group.', examples: [grouped] },
)
