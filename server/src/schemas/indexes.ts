import { type Static, Type } from 'typebox'
import { page } from './pages.js'
import { Bytes, Count, Threads, Timestamp } from './quantities.js'
import { choice, Name } from './words.js'

const kind = choice(['document', 'range'], {
  description: 'document: answers containment on JSON; range: answers comparisons',
})

export const IndexSpec = Type.Object(
  {
    name: Name,
    set: Type.Optional(Name),
    bin: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'without it a document index covers whole records; a range index needs one',
      }),
    ),
    kind,
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 1024, description: 'dotted path inside the bin' })),
    threads: Type.Optional(Threads),
  },
  {
    title: 'IndexSpec',
    additionalProperties: false,
    examples: [{ name: 'payload', set: 'events', bin: 'payload', kind: 'document', threads: 2 }],
  },
)
export type IndexSpec = Static<typeof IndexSpec>

export const Index = Type.Object(
  {
    name: Type.String(),
    namespace: Type.String(),
    set: Type.Optional(Type.String()),
    bin: Type.Optional(Type.String({ description: 'absent: the whole record' })),
    kind,
    path: Type.Optional(Type.String()),
    state: choice(['building', 'ready', 'failed']),
    origin: choice(['built', 'snapshot', 'recovered'], {
      description:
        'where it is from in this run of the engine. built: by a job; snapshot: loaded after an orderly stop; recovered: filled from the records at the start',
    }),
    jobId: Type.Optional(Type.String()),
    entries: Count,
    recentEntries: Count,
    merges: Type.Object(
      { running: Count, waiting: Count },
      { description: 'segments in which recent entries are merged now, or will be' },
    ),
    terms: Count,
    bytes: Bytes,
    createdAt: Timestamp,
  },
  { title: 'Index' },
)
export type Index = Static<typeof Index>

export const IndexPage = page(Index, 'IndexPage')
