// Queries that are kept: those that were saved by name, and those that the console ran.
import { type Static, Type } from 'typebox'
import { page, PageQuery } from './pages.js'
import { Count, Timestamp } from './quantities.js'
import { Name } from './words.js'

/** Longest request that is kept, characters. */
export const REQUEST_MAX = 64 * 1024

const RequestText = Type.String({
  minLength: 2,
  maxLength: REQUEST_MAX,
  description: 'the JSON text of a body of POST .../query, as it was written, so that its numbers keep every digit',
  examples: ['{"set":"events","where":{"bin":"event_type","op":"eq","value":"PushEvent"},"limit":100}'],
})

const Title = Type.String({ minLength: 1, maxLength: 120, description: 'what people call it' })

export const SavedQueryRequest = Type.Object(
  { name: Title, namespace: Name, request: RequestText },
  {
    title: 'SavedQueryRequest',
    additionalProperties: false,
    examples: [{ name: 'pushes', namespace: 'github', request: '{"set":"events","limit":100}' }],
  },
)
export type SavedQueryRequest = Static<typeof SavedQueryRequest>

export const SavedQuery = Type.Object(
  {
    id: Type.String(),
    name: Title,
    namespace: Name,
    request: RequestText,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    who: Type.String({ description: 'who saved it last: token, console, or local where nobody has to log in' }),
  },
  { title: 'SavedQuery' },
)
export type SavedQuery = Static<typeof SavedQuery>

export const SavedQueryPage = page(SavedQuery, 'SavedQueryPage')

export const SavedQueries = Type.Object(
  {
    ...PageQuery.properties,
    namespace: Type.Optional({ ...Name, description: 'only those of one namespace' }),
  },
  { additionalProperties: false },
)

export const RanQuery = Type.Object(
  {
    id: Type.String(),
    at: Timestamp,
    namespace: Name,
    request: RequestText,
    jobId: Type.Optional(Type.String()),
    ms: Type.Number({ description: "the engine's time; of one that failed, the gateway's" }),
    returned: Type.Optional(Count),
    scanned: Type.Optional(Count),
    method: Type.Optional(Type.String()),
    error: Type.Optional(Type.String({ description: 'the code with which it ended' })),
  },
  { title: 'RanQuery' },
)
export type RanQuery = Static<typeof RanQuery>

export const RanQueryPage = page(RanQuery, 'RanQueryPage')
