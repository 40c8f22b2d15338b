// Which indexes would help, and which help nobody.
import { type Static, Type } from 'typebox'
import { indexAdvice } from '../examples/index-advice.js'
import { bytes, count, milliseconds, text, timestamp } from '../quantities.js'
import { Said } from '../sentence.js'
import { choice } from '../words.js'
import { IndexSpec } from './indexes.js'

const Queries = Type.Object(
  {
    count: count('How many.'),
    totalMs: milliseconds('Their time together'),
  },
  { description: 'Queries and scans that this would help.' },
)

const Records = Type.Object(
  {
    before: count('Records that one of them looks at now.'),
    after: Type.Object(
      {
        about: count('Records that it would look at: the estimate.'),
        from: count('Probably at least so many.'),
        to: count('Probably at most so many.'),
      },
      { description: 'With the index.' },
    ),
  },
  { description: 'Records that one query looks at.' },
)

const how = {
  curl: text('The call as a line of curl.'),
  why: text('The reason, in sentences.'),
  said: Said,
}

export const AdvisedIndex = Type.Object(
  {
    spec: IndexSpec,
    ...how,
    shapes: Type.Array(Type.String(), {
      maxItems: 5,
      description: 'The filters that it would help, without their values: those that took most time.',
    }),
    queries: Queries,
    slow: Type.Object(
      { count: count('How many.'), totalMs: milliseconds('Their time together') },
      { description: 'Those that are kept as slow operations. A restart of the server keeps them.' },
    ),
    records: Records,
    basis: choice(['sample', 'runs'], {
      description:
        '`sample`: estimated from the values of a sample. `runs`: as many records as passed the filter when it ran.',
    }),
    savedMs: milliseconds(
      'Time that all of these queries would have taken less',
      'Estimated in proportion to the records.',
    ),
    cost: Type.Object(
      {
        entries: count('Entries, estimated from the sample.'),
        bytes: bytes('Memory, roughly', 'On a cluster its rows take room there instead.'),
      },
      { description: 'What it costs. Each write of such a record keeps it up to date, too.' },
    ),
  },
  { title: 'AdvisedIndex', description: 'An index that would help queries that ran.' },
)
export type AdvisedIndex = Static<typeof AdvisedIndex>

export const AdvisedSetIndex = Type.Object(
  {
    set: text('Name of the set.'),
    ...how,
    queries: Queries,
    records: Type.Object(
      {
        before: count('Records of the namespace, which are passed over to find those of the set.'),
        after: count('Records of the set.'),
      },
      { description: 'Records that one scan passes over.' },
    ),
    bytes: bytes('Memory of the set index, roughly'),
  },
  { title: 'AdvisedSetIndex', description: 'A small set that is often scanned, and has no set index.' },
)
export type AdvisedSetIndex = Static<typeof AdvisedSetIndex>

export const UnusedIndex = Type.Object(
  {
    name: text('Name of the index.'),
    ...how,
    bytes: bytes('Memory that dropping it frees'),
    lastUsedAt: Type.Optional(timestamp('When a query last used it', 'Unset: none has since `usesSince`.')),
    usesSince: timestamp('Since when its uses are counted'),
  },
  { title: 'UnusedIndex', description: 'An index that no query has used for 14 days.' },
)
export type UnusedIndex = Static<typeof UnusedIndex>

export const IndexAdvice = Type.Object(
  {
    namespace: text('Name of the namespace.'),
    at: timestamp('When it was made'),
    since: timestamp('Since when queries and scans are counted', 'That begins anew with each start of the server.'),
    indexes: Type.Array(AdvisedIndex, { description: 'Indexes to build, those that save most time first.' }),
    setIndexes: Type.Array(AdvisedSetIndex, { description: 'Set indexes to switch on.' }),
    unused: Type.Array(UnusedIndex, { description: 'Indexes to drop.' }),
  },
  { title: 'IndexAdvice', description: 'Which indexes would help, and which help nobody.', examples: [indexAdvice] },
)
export type IndexAdvice = Static<typeof IndexAdvice>
