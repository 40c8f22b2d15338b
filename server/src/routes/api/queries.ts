// Saved queries, and the history of those that the console ran.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { configEtag, requireMatch } from '../../rest/etag.js'
import { pageOf } from '../../rest/page.js'
import { IdempotencyHeaders } from '../../schemas/idempotency.js'
import { PageQuery } from '../../schemas/pages.js'
import { Count } from '../../schemas/quantities.js'
import { RanQueryPage, SavedQueries, SavedQuery, SavedQueryPage, SavedQueryRequest } from '../../schemas/queries.js'

const tags = ['query']
/** That a query is still what the request says it is. */
const matches =
  ({ headers: { 'if-match': wanted } }: FastifyRequest) =>
  (item: SavedQuery) =>
    requireMatch(wanted, configEtag(item))
const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })
const headers = Type.Object({
  'if-match': Type.Optional(Type.String({ description: 'the ETag that it must still have' })),
})

export function queriesRoutes(app: App): void {
  const { saved, history } = app.queries

  app.get(
    '/queries',
    {
      schema: {
        operationId: 'listQueries',
        tags,
        summary: 'Saved queries, newest first',
        querystring: SavedQueries,
        response: { 200: SavedQueryPage },
      },
    },
    ({ query: { namespace, ...page } }) =>
      pageOf(
        saved.list().filter((item) => namespace === undefined || item.namespace === namespace),
        page,
        ({ id }) => id,
      ),
  )

  app.post(
    '/queries',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'saveQuery',
        tags,
        summary: 'Save a query by name',
        description: 'The request is kept as it was written, and judged when it runs. 500 can be saved.',
        headers: IdempotencyHeaders,
        body: SavedQueryRequest,
        response: { 201: SavedQuery },
      },
    },
    async (request, reply) => {
      const item = await saved.add(request.body, request.who)
      void reply.code(201).header('location', `/api/v1/queries/${item.id}`).header('etag', configEtag(item))
      return item
    },
  )

  app.get(
    '/queries/history',
    {
      schema: {
        operationId: 'queryHistory',
        tags,
        summary: 'Queries that the console ran, newest first; the last 1,000 are kept',
        querystring: PageQuery,
        response: { 200: RanQueryPage },
      },
    },
    (request) => pageOf(history.list(), request.query, ({ id }) => id),
  )

  app.delete(
    '/queries/history',
    {
      schema: {
        operationId: 'clearQueryHistory',
        tags,
        summary: 'Forget the queries that the console ran',
        response: { 200: Type.Object({ removed: Count }) },
      },
    },
    () => ({ removed: history.clear() }),
  )

  app.get(
    '/queries/:id',
    {
      schema: {
        operationId: 'getQuery',
        tags,
        summary: 'One saved query',
        params,
        response: { 200: SavedQuery },
      },
    },
    (request, reply) => {
      const item = saved.get(request.params.id)
      void reply.header('etag', configEtag(item))
      return item
    },
  )

  app.put(
    '/queries/:id',
    {
      schema: {
        operationId: 'replaceQuery',
        tags,
        summary: 'Replace a saved query',
        params,
        headers,
        body: SavedQueryRequest,
        response: { 200: SavedQuery },
      },
    },
    async (request, reply) => {
      const item = await saved.replace(request.params.id, request.body, request.who, matches(request))
      void reply.header('etag', configEtag(item))
      return item
    },
  )

  app.delete(
    '/queries/:id',
    {
      schema: {
        operationId: 'removeQuery',
        tags,
        summary: 'Remove a saved query',
        params,
        headers,
        response: { 200: SavedQuery },
      },
    },
    (request) => saved.remove(request.params.id, matches(request)),
  )
}
