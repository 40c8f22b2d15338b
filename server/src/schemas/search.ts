// Query, scan and export. `where` is checked by the core, which reads its 64-bit numbers exactly.
import { type Static, Type } from 'typebox'
import { Count, Threads, Timestamp } from './quantities.js'
import { choice, SetChoice } from './words.js'
import { DamagedRecord, DataRow } from './records.js'

export const Where = Type.Unknown({
  description:
    '{"and":[..]}, {"or":[..]}, {"not":{..}}, {"bin":"b","op":"eq|ne|lt|le|gt|ge|between|in|prefix|exists|has|hasAny|hasAll","value":..,"path":"a.b[*].c","any|all":"items|keys|values"}, ' +
    '{"bin":"payload","op":"contains","value":{..}}, ' +
    '{"meta":"generation|updatedAt|expiresAt|ttl|size|set|key","op":..,"value":..}, {"meta":"digest","modulo":100,"op":"lt","value":3}, ' +
    'or {"expr":..,"op":..,"value":..} of an expression, as {"mul":["price","count"]}',
  examples: [{ bin: 'payload', op: 'contains', value: { commits: [{ author: { email: 'test@gmail.com' } }] } }],
})

/** One shape, so that a wrong choice is told by the core's own code. */
export const Sample = Type.Object(
  {
    share: Type.Optional(
      Type.Number({ description: 'of the records, chosen by digest; more than 0, at most 1', examples: [0.01] }),
    ),
    seed: Type.Optional(
      Type.Integer({ minimum: 0, description: 'with a share: the same seed takes the same records; 0 by default' }),
    ),
    first: Type.Optional(Type.Integer({ minimum: 1, description: 'as many, whichever are found first' })),
  },
  {
    title: 'Sample',
    additionalProperties: false,
    description: 'a part of the records: {"share":0.01,"seed":1} or {"first":1000}',
    examples: [{ share: 0.01 }],
  },
)
export type Sample = Static<typeof Sample>

export const Aggregate = Type.Unknown({
  description:
    'by name, what is wanted of the records instead of the records: {"total":{"op":"count|sum|min|max|avg|distinct","bin":"b","path":"a.b"}, ' +
    '"sizes":{"op":"histogram","meta":"size","width":100}}; a histogram has "bounds", or "width" and "from", or "buckets", "min" and "max"; ' +
    '"expr", an expression, may stand for "bin"',
  examples: [{ records: { op: 'count' }, total: { op: 'sum', bin: 'price' } }],
})

export const Group = Type.Unknown({
  description:
    'figures of each group instead: {"by":["bin",{"bin","path","as"},{"meta","as"},{"expr","as"}],"top":10,"order":"records","desc":true}; ' +
    'aggregate is the number of records unless given, order the first of the aggregates, greatest first',
  examples: [{ by: [{ bin: 'commit', path: 'author.name', as: 'who' }], top: 10 }],
})

const AggregateResult = Type.Object(
  {
    value: Type.Optional(Type.Union([Type.Number(), Type.Null()], { description: 'null where no number was met' })),
    exact: Type.Optional(Type.String({ description: 'an integer beyond 2^53, digit by digit' })),
    buckets: Type.Optional(
      Type.Array(Type.Object({ from: Type.Number(), to: Type.Number(), count: Count }), {
        description: 'those that hold something, from (inclusive) up to (exclusive; inclusive in the last of bounds)',
      }),
    ),
    below: Type.Optional(Count),
    above: Type.Optional(Count),
    numbers: Type.Optional(Count),
    others: Type.Optional({ ...Count, description: 'values that are not numbers' }),
    missing: Type.Optional({ ...Count, description: 'records without the value' }),
  },
  { title: 'AggregateResult' },
)

export const UseIndex = choice(['auto', 'force', 'never'])

export const PlanChoice = choice(['auto', 'set-index', 'set-column', 'device'], {
  description:
    'the way to go, instead of the cheapest; set-column goes by the slots of the whole namespace where no set is named; ' +
    'device reads all blocks one behind the other, and takes no limit',
})

export const Order = Type.Unknown({
  description:
    '{"bin":"b","path":"a.b","desc":true}, {"meta":"updatedAt","desc":true} or {"expr":..}: the first records in this order, as many as `limit` says (at most 100000); ' +
    'numbers, then strings, bytes and booleans, and last the records that have none of these there',
  examples: [{ bin: 'price', desc: true }],
})

/** Checked by the core, which knows how many there are. */
export const SegmentList = Type.Array(Type.Integer({ minimum: 0, maximum: 4095 }), {
  minItems: 1,
  maxItems: 4096,
  description:
    'only these segments, whoever owns them; absent: those of which this node is the primary owner, without ownership all',
  examples: [[0, 1, 2]],
})

const BinName = Type.String({ minLength: 1, maxLength: 255 })
/** Of 32 bits, as the core has them. */
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
    description: 'keys joined by dots, with positions in lists as [0] or [-1]; or a list of keys and positions',
  },
)

/** Checked by the core, which reads its 64-bit numbers exactly. */
const Expression = Type.Unknown({
  description:
    'an expression: a bin by its name, {"bin","path"}, {"meta"}, a number, {"value"}, or one of add, sub, mul, div, mod, neg, abs, floor, ceil, round, min, max, ' +
    'length, lower, upper, concat, substring, coalesce, if, is of expressions',
  examples: [{ mul: ['price', { coalesce: ['count', 1] }] }],
})

export const Select = Type.Array(
  Type.Union([
    BinName,
    Type.Object(
      { bin: BinName, path: Type.Optional(ColumnPath), as: Type.Optional(BinName) },
      { title: 'Column', additionalProperties: false },
    ),
    Type.Object(
      { expr: Expression, as: Type.Optional(BinName) },
      { title: 'ExpressionColumn', additionalProperties: false },
    ),
  ]),
  {
    maxItems: 4096,
    description:
      'the bins of a row: names, {"bin","path","as"} for what lies at a path, named by its last key unless "as" does, or {"expr","as"} for what is worked out; ' +
      'at most 256, or 4096 where all are names and nothing is unnested',
    examples: [['event_id', { bin: 'actor', path: 'login', as: 'who' }]],
  },
)

export const Unnest = Type.Unknown({
  description:
    '{"bin","path","as"}: a row for each item of the list there, as jsonb_array_elements of PostgreSQL, with the item as the bin "as"; ' +
    'none where there is no list. Limit and returned then count rows',
  examples: [{ bin: 'payload', path: 'commits', as: 'commit' }],
})
const Cursor = Type.String({ minLength: 1, maxLength: 4096 })
const Limit = Type.Integer({ minimum: 1, description: 'most records, or rows; a page of JSON has 1000 unless given' })

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
        description: "the set's distribution bin value: only its segment is asked",
        examples: [17330407],
      }),
    ),
    limit: Type.Optional(Limit),
    cursor: Type.Optional(Cursor),
    useIndex: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: 'auto, never, or the name of the document or range index to use; never: none of them',
        examples: ['auto'],
      }),
    ),
    order: Type.Optional(Order),
    segments: Type.Optional(SegmentList),
    threads: Type.Optional(Threads),
    explain: Type.Optional(
      Type.Union([Type.Boolean(), Type.Literal('analyze')], {
        description: 'answer the plan instead of records; analyze: carry it out, and say what each step came to',
      }),
    ),
  },
  {
    title: 'QueryRequest',
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
    recordsPerSecond: Type.Optional(Type.Integer({ minimum: 0, description: 'the throttle; 0 = none' })),
    bins: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 4096, description: '[] = no bins' }),
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
          'in NDJSON: a line {"segmentDone":n} behind the last record of each segment, so that who was cut off asks for the others alone. ' +
          'Not with a limit, a cursor or aggregates',
      }),
    ),
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

export const DeviceReads = Type.Object(
  {
    records: { ...Count, description: 'records that were read one at a time' },
    blocks: { ...Count, description: 'blocks that were read whole' },
    bytes: { ...Count, description: 'bytes of both' },
  },
  { title: 'DeviceReads' },
)

export const CsvLeftOut = Type.Object(
  {
    values: { ...Count, description: 'how many; null, an empty cell as well, is not counted' },
    bins: Type.Array(Type.String(), {
      maxItems: 16,
      description: 'the first of their bins that were met, at most 1024 bytes of names',
    }),
  },
  {
    title: 'CsvLeftOut',
    description:
      'values that are in no row of CSV: without select its columns are the bins of about the first 256 KiB; absent where nothing was left out',
  },
)

export const StreamSummary = Type.Object(
  {
    returned: { ...Count, description: 'rows; of a query that unnests a list, its items' },
    scanned: Count,
    damaged: { ...Count, description: 'records that could not be read and were left out' },
    candidates: Count,
    estimatedCandidates: Type.Optional({ ...Count, description: 'what the plan of a query said' }),
    elapsedMs: Type.Number(),
    estimatedMs: Type.Optional(Type.Number({ description: 'what the plan of a scan said' })),
    reads: Type.Optional(DeviceReads),
    threads: Count,
    method: Type.String(),
    truncated: Type.Boolean(),
    others: Type.Optional({ ...Count, description: 'groups that top has left out' }),
    cursor: Type.Optional(Type.String()),
    csvLeftOut: Type.Optional(CsvLeftOut),
  },
  { title: 'StreamSummary' },
)
export type StreamSummary = Static<typeof StreamSummary>

export const Records = Type.Object(
  { records: Type.Array(Type.Union([DataRow, DamagedRecord])), jobId: Type.String(), summary: StreamSummary },
  { title: 'Records' },
)

export const DeviceCosts = Type.Object(
  {
    randomReadNs: Type.Number({ description: 'of one read of a record, a window of them in flight' }),
    sequentialBytesPerSecond: Type.Number(),
    recordNs: Type.Number({ description: 'of a processor, for a record of a block' }),
    measuredAt: Type.Optional(Timestamp),
  },
  {
    title: 'DeviceCosts',
    description: 'what estimates of a device namespace are made with; see jobs of kind calibrate',
  },
)

export const Aggregated = Type.Object(
  {
    aggregate: Type.Record(Type.String(), AggregateResult),
    jobId: Type.String(),
    summary: StreamSummary,
  },
  { title: 'Aggregated' },
)

export const Grouped = Type.Object(
  {
    groups: Type.Array(
      Type.Object({
        by: Type.Record(Type.String(), Type.Unknown(), {
          description: 'what the records of the group share; what they lack is left out',
        }),
        aggregate: Type.Record(Type.String(), AggregateResult),
      }),
    ),
    others: { ...Count, description: 'groups that top has left out' },
    jobId: Type.String(),
    summary: StreamSummary,
  },
  { title: 'Grouped' },
)

export const ScanPlan = Type.Object(
  {
    method: choice(['set-index', 'set-column', 'all', 'device-sequential']),
    estimatedMs: Type.Number(),
    estimatedRecords: Count,
    namespaceRecords: Count,
    segments: Count,
    threads: Count,
    reason: Type.String(),
    alternatives: Type.Array(Type.Object({ method: Type.String(), estimatedMs: Type.Number() })),
    costs: Type.Optional(DeviceCosts),
  },
  { title: 'ScanPlan' },
)
export type ScanPlan = Static<typeof ScanPlan>

const PlanNode = Type.Object(
  {
    node: Type.String({
      description:
        'terms, range: lookups in an index; range-order: the order of a range index; and, or of lookups; set-index, set-column, all, ' +
        'device-sequential: scans; filter, unnest, group, order, limit: what is made of the records. What went into a step is what came out of its children',
    }),
    index: Type.Optional(Type.String()),
    on: Type.Optional(
      Type.String({ description: 'a bin, perhaps with a path, or a set; of unnest the list, of group what it is by' }),
    ),
    terms: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), value: Type.Unknown(), estimated: Count }), {
        description: 'the first 16 that are looked up in a document index, their numbers with every digit',
      }),
    ),
    estimated: Type.Optional({
      ...Count,
      description: 'records, rows or groups that come out of it, at most; of unnest unknown',
    }),
    actual: Type.Optional({ ...Count, description: 'with analyze: how many came out of it' }),
    ms: Type.Optional(
      Type.Number({
        description: 'with analyze: of the whole, of lookups, and of unnest and group those of all threads',
      }),
    ),
    segments: Type.Optional({ ...Count, description: 'segments where something came out' }),
    children: Type.Optional(Type.Array(Type.Unknown({ description: 'a PlanNode' }))),
  },
  { title: 'PlanNode', description: 'a step of a plan; its children come before it' },
)

export const QueryPlan = Type.Object(
  {
    method: choice([
      'document-index',
      'range-index',
      'indexes',
      'range-order',
      'set-index',
      'set-column',
      'all',
      'device-sequential',
    ]),
    index: Type.Optional(Type.String()),
    indexes: Type.Optional(Type.Array(Type.String(), { description: 'where more than one proposes the candidates' })),
    segments: Count,
    estimatedCandidates: Count,
    estimatedMs: Type.Number(),
    terms: Type.Optional(Count),
    reason: Type.String(),
    alternatives: Type.Optional(
      Type.Array(
        Type.Object({ method: Type.String(), index: Type.Optional(Type.String()), estimatedMs: Type.Number() }),
      ),
    ),
    tree: Type.Optional(PlanNode),
    actual: Type.Optional(
      Type.Object(
        {
          candidates: Count,
          scanned: Count,
          returned: Count,
          ms: Type.Number(),
          segments: Count,
          reads: Type.Optional(DeviceReads),
        },
        { description: 'with analyze: what came of it' },
      ),
    ),
  },
  { title: 'QueryPlan' },
)
