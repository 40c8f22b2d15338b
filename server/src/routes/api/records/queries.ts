// Saved queries, the query history of the console, and the queries that are open there.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { seesOf } from '../../../auth/reach.js'
import { isFormer, marked } from '../../../auth/former.js'
import { callerId } from '../../../auth/caller-id.js'
import { json } from '../../../bodies/rule.js'
import { etagOf } from '../../../queries/open.js'
import { queryNotFound } from '../../../queries/saved.js'
import { configEtag, requireMatch } from '../../../requests/etag.js'
import { pageOf } from '../../../requests/page.js'
import { IfMatchHeaders, IfNoneMatchHeaders } from '../../../schemas/etags.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { PageQuery } from '../../../schemas/pages.js'
import { count } from '../../../schemas/quantities.js'
import { OPEN_BYTES_MAX, OpenQueries, OpenQueriesSpec } from '../../../schemas/records/open-queries.js'
import {
  RanQueryPage,
  SavedQueries,
  SavedQuery,
  SavedQueryPage,
  SavedQueryRequest,
} from '../../../schemas/records/queries.js'
import { Id } from '../../../schemas/words.js'

const tags = ['query']
/** Checks that the query has the ETag of the request, and that nobody has moved it out of reach meanwhile. */
const matches =
  ({ reach, engine, headers: { 'if-match': wanted } }: FastifyRequest) =>
  (item: SavedQuery) => {
    reach?.need(item.namespace)
    if (reach !== undefined && isFormer(engine, item)) throw queryNotFound(item.id)
    requireMatch(wanted, configEtag(item))
  }
const params = Type.Object({ id: Id('Id of the saved query.', '0mwuurgcxcbe8f5') })

export function queriesRoutes(app: App): void {
  const { saved, history, open } = app.queries

  app.get(
    '/queries',
    {
      schema: {
        operationId: 'listQueries',
        tags,
        summary: 'List saved queries',
        description: 'Answers saved queries, newest first.',
        querystring: SavedQueries,
        response: { 200: SavedQueryPage },
      },
    },
    ({ reach, query: { namespace, ...page } }) =>
      pageOf(
        saved
          .list()
          .map((item) => marked(app.engine, item))
          .filter(seesOf(reach))
          .filter((item) => namespace === undefined || item.namespace === namespace),
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
        summary: 'Save a query',
        description:
          'Saves a query under a name, which is unique in its namespace: a second one is refused with `query_exists`. ' +
          'The request is kept as written, and checked only when it runs. At most 500 can be saved; more are ' +
          'refused with `query_limit`.',
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
        summary: 'List queries that the console ran',
        description: 'Answers queries, newest first. The server keeps the last 1,000.',
        querystring: PageQuery,
        response: { 200: RanQueryPage },
      },
    },
    ({ reach, query }) =>
      pageOf(
        history
          .list()
          .map((item) => marked(app.engine, item))
          .filter(seesOf(reach)),
        query,
        ({ id }) => id,
      ),
  )

  app.delete(
    '/queries/history',
    {
      schema: {
        operationId: 'clearQueryHistory',
        tags,
        summary: 'Clear the query history',
        description: 'Deletes the list of queries that the console ran. Saved queries stay.',
        response: {
          200: Type.Object(
            { removed: count('Deleted entries.') },
            { description: 'The number of deleted entries.', examples: [{ removed: 12 }] },
          ),
        },
      },
    },
    async () => ({ removed: await history.clear() }),
  )

  app.get(
    '/queries/open',
    {
      schema: {
        operationId: 'getOpenQueries',
        tags,
        summary: 'Show your open queries',
        description:
          'Answers the queries that the caller has open in the console, in each browser. Nobody else sees them. Without ' +
          'any, `revision` is 0.',
        headers: IfNoneMatchHeaders,
        response: { 200: OpenQueries },
      },
    },
    async (request, reply) => {
      const queries = await open.get(callerId(request))
      void reply.header('etag', etagOf(queries))
      return queries
    },
  )

  app.put(
    '/queries/open',
    {
      config: { body: { ...json(), limit: OPEN_BYTES_MAX } },
      schema: {
        operationId: 'setOpenQueries',
        tags,
        summary: 'Replace your open queries',
        description:
          'Replaces the queries that the caller has open in the console. At most 100 of 512 KiB together are kept; a ' +
          'larger body is refused with `body_too_large`. With `If-Match` it is refused with `precondition_failed` if ' +
          'another browser was faster. A read-only server takes them too. Those of 1,000 callers are kept; one more is ' +
          'refused with `open_queries_limit`, unless one has changed nothing for 90 days.',
        headers: IfMatchHeaders,
        body: OpenQueriesSpec,
        response: { 200: OpenQueries },
      },
    },
    async (request, reply) => {
      const queries = await open.replace(callerId(request), request.body, request.headers['if-match'])
      void reply.header('etag', etagOf(queries))
      return queries
    },
  )

  app.get(
    '/queries/:id',
    {
      schema: {
        operationId: 'getQuery',
        tags,
        summary: 'Show a saved query',
        description: 'Answers a saved query. Its `ETag` goes into `If-Match` when you replace or delete it.',
        params,
        headers: IfNoneMatchHeaders,
        response: { 200: SavedQuery },
      },
    },
    (request, reply) => {
      const item = saved.get(request.params.id)
      void reply.header('etag', configEtag(item))
      return marked(app.engine, item)
    },
  )

  app.put(
    '/queries/:id',
    {
      schema: {
        operationId: 'replaceQuery',
        tags,
        summary: 'Replace a saved query',
        description:
          'Replaces name, namespace and request of a saved query. With `If-Match` it is refused with ' +
          '`precondition_failed` if someone changed the query.',
        params,
        headers: IfMatchHeaders,
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
        summary: 'Delete a saved query',
        description:
          'Deletes a saved query and answers it. With `If-Match` it is refused with `precondition_failed` if ' +
          'someone changed the query.',
        params,
        headers: IfMatchHeaders,
        response: { 200: SavedQuery },
      },
    },
    (request) => saved.remove(request.params.id, matches(request)),
  )
}
