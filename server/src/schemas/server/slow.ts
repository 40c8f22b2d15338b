import { type Static, Type } from 'typebox'
import { bytes, count, flag, milliseconds, moment, number, text, timestamp } from '../quantities.js'
import { choice, NamespaceName, SetChoice, several } from '../words.js'
import { Truncated } from '../pages.js'
import { Operation } from './metrics.js'
import { owner } from '../kept.js'

export const THRESHOLD_LEAST_MS = 0.1
export const THRESHOLD_MOST_MS = 3_600_000
/** Most namespaces with thresholds of their own. */
export const OWN_THRESHOLDS_MAX = 1024

export const SlowSplit = Type.Object(
  {
    queueMs: milliseconds('Waiting for a thread, a lock, room or a rate limit'),
    indexMs: milliseconds('Work in memory: finding, comparing and changing records and indexes'),
    deviceMs: milliseconds('Reading, writing and syncing disks'),
    decodeMs: milliseconds('Parsing the request'),
    replyMs: milliseconds('Making the answer, and waiting for the client to read it'),
  },
  {
    title: 'SlowSplit',
    description: 'Where the time went. The parts add up to the duration. A job splits it as its workers spent theirs.',
  },
)

const shape = {
  op: Operation,
  namespace: text('Name of the namespace.'),
  ...owner,
  set: Type.Optional(text('Name of the set. Empty: records without a set. Unset: all sets.')),
  filterShape: Type.Optional(text('The filter with `?` in place of its values. Unset: no filter.')),
}

const entryExample = {
  id: 7312,
  op: 'query',
  outcome: 'ok',
  namespace: 'shop',
  set: 'users',
  filter: 'age >= 21 and city = "Rome"',
  filterShape: 'age >= ? and city = ?',
  records: 184_201,
  startedAt: '2026-11-26T11:04:31.207Z',
  durationMs: 212.4,
  engineMs: 212.1,
  split: { queueMs: 0.31, indexMs: 97.12, deviceMs: 113.6, decodeMs: 0, replyMs: 1.37 },
  threads: 2,
  plan: 'set-column',
  jobId: '001m872xz2100',
} as const

const groupExample = {
  op: 'query',
  namespace: 'shop',
  set: 'users',
  filterShape: 'age >= ? and city = ?',
  count: 12,
  failed: 0,
  totalMs: 1943.2,
  slowestMs: 212.4,
  slowestId: 7312,
  split: { queueMs: 3.1, indexMs: 1020.4, deviceMs: 908.9, decodeMs: 0, replyMs: 10.8 },
  firstAt: '2026-11-26T10:58:02.110Z',
  lastAt: '2026-11-26T11:04:31.419Z',
} as const

export const SlowOperation = Type.Object(
  {
    id: count('Number of the operation, ascending in the order in which operations ended.'),
    ...shape,
    outcome: choice(['ok', 'error'], { description: 'Whether the operation succeeded.' }),
    code: Type.Optional(text('Error code of an operation that failed, listed in docs/errors.md.')),
    key: Type.Optional(
      text(
        'Key, at most 128 bytes, of an operation on one record; bytes and digests in hex. Unset if keys are not kept.',
      ),
    ),
    keyType: Type.Optional(choice(['string', 'integer', 'bytes', 'digest'], { description: 'Type of `key`.' })),
    filter: Type.Optional(text('The filter as text, at most 512 bytes. Unset if keys are not kept.')),
    records: Type.Optional(count('Records of a batch, or records that a scan or query looked at.')),
    startedAt: timestamp('When the request came in'),
    durationMs: milliseconds('Duration'),
    engineMs: milliseconds(
      'What the latency of the engine has of the duration',
      'Unlike the duration it leaves out the time until the engine began: the wait for a thread, and for a scan its plan.',
    ),
    split: SlowSplit,
    threads: Type.Integer({ minimum: 1, description: 'Worker threads.' }),
    plan: Type.Optional(text('How a scan or query found its records.')),
    jobId: Type.Optional(text('Id of the job of a scan or query.')),
  },
  { title: 'SlowOperation', description: 'An operation that took long.', examples: [entryExample] },
)
export type SlowOperation = Static<typeof SlowOperation>

export const SlowGroup = Type.Object(
  {
    ...shape,
    count: count('Operations of this shape that are kept.'),
    failed: count('Those of them that failed.'),
    totalMs: milliseconds('Duration of all of them together'),
    slowestMs: milliseconds('Duration of the slowest'),
    slowestId: count('Its `id`.'),
    split: SlowSplit,
    firstAt: timestamp('When the first of them ended'),
    lastAt: timestamp('When the last of them ended'),
  },
  {
    title: 'SlowGroup',
    description:
      'Operations of one shape: the same operation, namespace and set, with the same filter but for its values.',
    examples: [groupExample],
  },
)
export type SlowGroup = Static<typeof SlowGroup>

const bound = (description: string, example: number) =>
  Type.Optional({ ...number(description), minimum: 0, maximum: THRESHOLD_MOST_MS, examples: [example] })

export const SlowQuery = Type.Object(
  {
    namespace: Type.Optional(NamespaceName),
    set: Type.Optional({ ...SetChoice, description: 'Only this set. Empty: records without a set. Unset: all.' }),
    op: several(
      Operation.enum,
      `Only operations of one of these kinds, comma-separated: ${Operation.enum.join(', ')}. Unset: all.`,
      'get,scan,query',
    ),
    since: Type.Optional(moment('Only operations that ended at this time or later, RFC 3339.', '2026-11-26T11:00:00Z')),
    until: Type.Optional(moment('Only operations that ended before this time, RFC 3339.', '2026-11-26T11:05:00Z')),
    minMs: bound('Only operations that took at least so many milliseconds.', 250),
    belowMs: bound('Only operations that took less than so many milliseconds. More than `minMs`.', 500),
    minEngineMs: bound('Only operations with an `engineMs` of at least so much.', 250),
    belowEngineMs: bound('Only operations with an `engineMs` below so much. More than `minEngineMs`.', 500),
    sort: Type.Optional(
      choice(['newest', 'slowest'], {
        description:
          'Order of the items. `slowest` orders groups by the time of all their operations. Default: `newest`.',
        examples: ['slowest'],
      }),
    ),
    group: Type.Optional(
      choice(['shape'], {
        description: 'Answer groups of operations of one shape in `groups`.',
        examples: ['shape'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'Most items, 1 to 1000. Default: 100.', examples: [100] }),
    ),
  },
  { additionalProperties: false },
)
export type SlowQuery = Static<typeof SlowQuery>

export const SlowOperations = Type.Object(
  {
    items: Type.Array(SlowOperation, { description: 'The operations. Empty with `group`.' }),
    groups: Type.Optional(Type.Array(SlowGroup, { description: 'The groups, with `group=shape`.' })),
    limit: Type.Integer({ description: 'The limit that was applied.' }),
    truncated: { ...Truncated, description: 'True if there are more.' },
  },
  {
    title: 'SlowOperations',
    description: 'Operations that took long.',
    examples: [
      { items: [entryExample], limit: 100, truncated: false },
      { items: [], groups: [groupExample], limit: 100, truncated: false },
    ],
  },
)
export type SlowOperations = Static<typeof SlowOperations>

const Threshold = {
  ...milliseconds('Operations that take at least so long are kept', '0.1 to 3,600,000.'),
  minimum: THRESHOLD_LEAST_MS,
  maximum: THRESHOLD_MOST_MS,
  examples: [100],
}

const keepKeys = flag(
  'Whether keys and the values of filters are kept. If false, those of operations that are kept already are dropped.',
)

export const SlowSettings = Type.Object(
  {
    thresholdMs: Threshold,
    keepKeys,
    namespaces: Type.Record(Type.String(), Threshold, {
      description: 'Thresholds of the namespaces that have their own, by name.',
    }),
    kept: count('Operations that are kept.'),
    bytes: bytes('Memory of these operations'),
    mostBytes: bytes('Most memory that operations beyond the threshold take; the oldest go first'),
    seen: count('Operations beyond the threshold since the start, or since all were removed.'),
  },
  {
    title: 'SlowSettings',
    description: 'Which operations are kept as slow, and how many are.',
    examples: [
      {
        thresholdMs: 100,
        keepKeys: true,
        namespaces: { shop: 20 },
        kept: 143,
        bytes: 61_204,
        mostBytes: 1_048_576,
        seen: 97,
      },
    ],
  },
)
export type SlowSettings = Static<typeof SlowSettings>

export const SlowPatch = Type.Object(
  {
    thresholdMs: Type.Optional(Threshold),
    keepKeys: Type.Optional(keepKeys),
    namespaces: Type.Optional(
      Type.Record(Type.String(), Type.Union([Threshold, Type.Null()]), {
        maxProperties: OWN_THRESHOLDS_MAX,
        description: 'Thresholds of namespaces, by name. Null: the namespace has `thresholdMs` again.',
      }),
    ),
  },
  {
    title: 'SlowPatch',
    additionalProperties: false,
    description: 'New settings. What is left out stays.',
    examples: [{ thresholdMs: 50, keepKeys: false, namespaces: { shop: 20, archive: null } }],
  },
)
export type SlowPatch = Static<typeof SlowPatch>

export const SlowCleared = Type.Object(
  { removed: count('Operations that were removed.') },
  { title: 'SlowCleared', description: 'What was removed.', examples: [{ removed: 143 }] },
)
export type SlowCleared = Static<typeof SlowCleared>
