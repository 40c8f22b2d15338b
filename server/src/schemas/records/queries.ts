// Saved queries, and queries that the console ran.
import { type Static, Type } from 'typebox'
import { savedQuery } from '../examples/jobs.js'
import { page, PageQuery } from '../pages.js'
import { count, milliseconds, text, timestamp } from '../quantities.js'
import { NamespaceName, Title } from '../words.js'
import { owner } from '../kept.js'

/** Longest request that is kept, characters. */
export const REQUEST_MAX = 64 * 1024

const RequestText = Type.String({
  minLength: 2,
  maxLength: REQUEST_MAX,
  description:
    'Body of `POST /api/v1/namespaces/{ns}/query` as JSON text. It is kept as written, so that numbers keep every digit.',
  examples: ['{"set":"events","where":{"bin":"event_type","op":"eq","value":"PushEvent"},"limit":100}'],
})

const Name = Title(120)

export const SavedQueryRequest = Type.Object(
  { name: Name, namespace: NamespaceName, request: RequestText },
  {
    title: 'SavedQueryRequest',
    description: 'The query to save.',
    additionalProperties: false,
    examples: [{ name: 'pushes', namespace: 'shop', request: '{"set":"events","limit":100}' }],
  },
)
export type SavedQueryRequest = Static<typeof SavedQueryRequest>

export const SavedQuery = Type.Object(
  {
    id: text('Id of the saved query.'),
    name: Name,
    namespace: NamespaceName,
    ...owner,
    request: RequestText,
    createdAt: timestamp('When it was saved first'),
    updatedAt: timestamp('When it was saved last'),
    who: text(
      'Who saved it last: `token`, `token:NAME`, `user:NAME`, `console`, or `local` on a server with `--no-auth`.',
    ),
  },
  { title: 'SavedQuery', description: 'A saved query.', examples: [savedQuery] },
)
export type SavedQuery = Static<typeof SavedQuery>

export const SavedQueryPage = page(SavedQuery, 'SavedQueryPage', 'saved queries')

export const SavedQueries = Type.Object(
  {
    ...PageQuery.properties,
    namespace: Type.Optional({
      ...NamespaceName,
      description: 'Only the queries of this namespace. Unset: all.',
    }),
  },
  { additionalProperties: false },
)

export const RanQuery = Type.Object(
  {
    id: text('Id of the entry.'),
    at: timestamp('When it ran'),
    namespace: NamespaceName,
    ...owner,
    request: RequestText,
    jobId: Type.Optional(text('Id of its job.')),
    ms: milliseconds('Time in the engine; for a failed query, in the gateway'),
    returned: Type.Optional(count('Rows it returned.')),
    scanned: Type.Optional(count('Records it read.')),
    method: Type.Optional(text('How it found the records, as in `summary.method`.')),
    error: Type.Optional(text('Error code, if it failed.')),
  },
  {
    title: 'RanQuery',
    description: 'A query that the console ran.',
    examples: [
      {
        id: '0mwuurgcxcbe8f5',
        at: '2026-01-31T12:00:00.000Z',
        namespace: 'shop',
        request: '{"set":"users","limit":1}',
        jobId: '001m87358qn00',
        ms: 0.129,
        returned: 1,
        scanned: 2,
        method: 'set-column',
      },
    ],
  },
)
export type RanQuery = Static<typeof RanQuery>

export const RanQueryPage = page(RanQuery, 'RanQueryPage', 'queries')
