// Queries that a caller has open in the console.
import { type Static, Type } from 'typebox'
import { count, text, timestamp } from '../quantities.js'

/** Most open queries of a caller, and most bytes of a request that replaces them. */
export const OPEN_MAX = 100
export const OPEN_BYTES_MAX = 512 * 1024

const OpenQuery = Type.Object(
  {
    key: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'Tells the query from the others, in every browser. Who opens the query chooses it.',
    }),
    namespace: Type.Optional(
      Type.String({ maxLength: 255, description: 'Its namespace. Unset: none was chosen. It need not exist.' }),
    ),
    request: Type.Optional(
      Type.String({
        maxLength: OPEN_BYTES_MAX,
        description: 'The text as typed, which need not be JSON. Unset: that of the saved query.',
      }),
    ),
    saved: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Id of the saved query behind it. It may be deleted.' }),
    ),
    from: Type.Optional(
      Type.Object(
        {
          browser: Type.String({ minLength: 1, maxLength: 120, description: 'The browser, for people.' }),
          at: timestamp('When'),
        },
        {
          additionalProperties: false,
          description: 'Where it was typed, if another browser changed the same query at the same time.',
        },
      ),
    ),
  },
  { additionalProperties: false, description: 'A query that is open.' },
)
export type OpenQuery = Static<typeof OpenQuery>

const items = Type.Array(OpenQuery, { maxItems: OPEN_MAX, description: 'The queries, in the order of their tabs.' })

const example = { key: 'q1VnB4kSx0', namespace: 'shop', request: '{"set":"events","limit":100}' }

export const OpenQueriesSpec = Type.Object(
  { items },
  {
    title: 'OpenQueriesSpec',
    description: 'The queries that are open from now on.',
    additionalProperties: false,
    examples: [{ items: [example] }],
  },
)
export type OpenQueriesSpec = Static<typeof OpenQueriesSpec>

export const OpenQueries = Type.Object(
  {
    id: text('Id of the caller, as in `GET /api/v1/auth/me`.'),
    revision: count('How often they were replaced. 0: the server has none of the caller.'),
    updatedAt: Type.Optional(timestamp('When they were replaced last', 'Unset: never.')),
    items,
  },
  {
    title: 'OpenQueries',
    description: 'The queries that the caller has open in the console.',
    examples: [
      {
        id: '5f0c3a9b7d21e84f6c0a1b2d3e4f5a6b',
        revision: 1,
        updatedAt: '2026-01-31T12:00:00.000Z',
        items: [example],
      },
    ],
  },
)
export type OpenQueries = Static<typeof OpenQueries>
