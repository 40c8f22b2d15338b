import { type Static, Type } from 'typebox'
import { index } from '../examples/namespaces.js'
import { page } from '../pages.js'
import { bytes, count, text, Threads, timestamp } from '../quantities.js'
import { choice, IndexName, SetName } from '../words.js'

const kind = choice(['document', 'range'], {
  description: '`document`: speeds up containment on JSON. `range`: speeds up comparisons and orders.',
})

export const IndexSpec = Type.Object(
  {
    name: IndexName,
    set: Type.Optional({
      ...SetName,
      description: 'Index only the records of this set. Unset: all records of the namespace.',
    }),
    bin: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Index this bin. Required for a range index. Unset: a document index covers whole records.',
      }),
    ),
    kind,
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Dotted path inside the bin. Unset: the whole bin.',
      }),
    ),
    threads: Type.Optional(Threads),
  },
  {
    title: 'IndexSpec',
    description: 'The index to build.',
    additionalProperties: false,
    examples: [{ name: 'payload', set: 'events', bin: 'payload', kind: 'document', threads: 2 }],
  },
)
export type IndexSpec = Static<typeof IndexSpec>

export const Index = Type.Object(
  {
    name: text('Name of the index.'),
    namespace: text('Name of the namespace.'),
    set: Type.Optional(text('The set it covers. Unset: the whole namespace.')),
    bin: Type.Optional(text('The bin it covers. Unset: whole records.')),
    kind,
    path: Type.Optional(text('Dotted path inside the bin. Unset: the whole bin.')),
    state: choice(['building', 'ready', 'failed'], { description: 'Queries use an index once it is `ready`.' }),
    origin: choice(['built', 'snapshot', 'recovered'], {
      description:
        'How this start got the index. `built`: by a job. `snapshot`: loaded after an orderly stop. ' +
        '`recovered`: filled from the records at the start.',
    }),
    jobId: Type.Optional(text('Id of the job that built it.')),
    entries: count('Entries in the index. On a cluster: records that had some when it was built.'),
    recentEntries: count('Recent entries that are not merged yet.'),
    merges: Type.Object(
      { running: count('Segments merged now.'), waiting: count('Segments that wait for a merge.') },
      { description: 'Merges of recent entries into the index, by segment.' },
    ),
    terms: Type.Optional(count('Different terms. Unset on a cluster, where nobody counts them.')),
    bytes: bytes('Memory of the index in this server'),
    uses: count('Queries that found records by it since `usesSince`. On a cluster: those of this server.'),
    lastUsedAt: Type.Optional(timestamp('When one last did', 'Unset: none has since `usesSince`.')),
    usesSince: timestamp(
      'Since when its uses have been counted',
      'A restart keeps them. It is later than `createdAt` if they were not counted before, or were lost.',
    ),
    createdAt: timestamp('When it was created'),
  },
  { title: 'Index', description: 'An index and its state.', examples: [index] },
)
export type Index = Static<typeof Index>

export const IndexPage = page(Index, 'IndexPage', 'indexes')
