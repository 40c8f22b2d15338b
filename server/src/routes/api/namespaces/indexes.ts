// Document and range indexes: list, create, show, drop.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { accepted } from '../../../answers/accepted.js'
import { listed } from '../../../answers/listed.js'
import type { App } from '../../../app-types.js'
import { confirm } from '../../../requests/confirm.js'
import { pageOf } from '../../../requests/page.js'
import { ConfirmHeaders, DropReport, DryRun } from '../../../schemas/drop.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { PageQuery } from '../../../schemas/pages.js'
import { Wait } from '../../../schemas/quantities.js'
import { IndexName, NamespaceName } from '../../../schemas/words.js'
import { Index, IndexPage, IndexSpec } from '../../../schemas/namespaces/indexes.js'
import { Job } from '../../../schemas/jobs/jobs.js'

const tags = ['indexes']
const nsParams = Type.Object({ ns: NamespaceName })
const params = Type.Object({ ns: NamespaceName, index: IndexName })

export function indexRoutes(app: App): void {
  app.get(
    '/indexes',
    {
      schema: {
        operationId: 'listAllIndexes',
        tags,
        summary: 'List the indexes of all namespaces',
        description:
          'Answers the document and range indexes of all open namespaces that you may see, ordered by namespace. If ' +
          'you may see some sets of a namespace only, the list has the indexes of these sets.',
        querystring: PageQuery,
        response: { 200: IndexPage },
      },
    },
    (request) =>
      allIndexes(request).then((indexes) =>
        pageOf(
          indexes.map((index) => app.indexUses.of(index)),
          request.query,
          ({ namespace, name }) => `${namespace}/${name}`,
        ),
      ),
  )

  app.get(
    '/namespaces/:ns/indexes',
    {
      schema: {
        operationId: 'listIndexes',
        tags,
        summary: 'List indexes',
        description: 'Answers the document and range indexes of a namespace, with their state and memory.',
        params: nsParams,
        querystring: PageQuery,
        response: { 200: IndexPage },
      },
    },
    (request) =>
      request.engine.indexes(request.params.ns).then((indexes) =>
        pageOf(
          indexes.map((index) => app.indexUses.of(index)),
          request.query,
          (index) => index.name,
        ),
      ),
  )

  app.post(
    '/namespaces/:ns/indexes',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'createIndex',
        tags,
        summary: 'Create an index',
        description:
          'Starts a job that builds the index in parallel while records are written. Queries use the index once ' +
          'it is `ready`. An existing name is refused with `index_exists`.',
        params: nsParams,
        querystring: Type.Object({ wait: Wait }, { additionalProperties: false }),
        headers: IdempotencyHeaders,
        body: IndexSpec,
        response: { 202: Job },
      },
    },
    async (request, reply) => {
      const job = await request.engine.createIndex(request.params.ns, request.body)
      return accepted(request.engine, reply, job, request.query.wait)
    },
  )

  app.get(
    '/namespaces/:ns/indexes/:index',
    {
      schema: {
        operationId: 'getIndex',
        tags,
        summary: 'Show an index',
        description: 'Answers the state, size and origin of an index.',
        params,
        response: { 200: Index },
      },
    },
    (request) => request.engine.index(request.params.ns, request.params.index).then((index) => app.indexUses.of(index)),
  )

  app.delete(
    '/namespaces/:ns/indexes/:index',
    {
      schema: {
        operationId: 'dropIndex',
        tags,
        summary: 'Drop an index',
        description:
          'Drops an index, and aborts its build if it still runs. Records stay. With `dryRun=true` it only ' +
          'answers what would go.',
        params,
        querystring: Type.Object({ dryRun: DryRun }, { additionalProperties: false }),
        headers: ConfirmHeaders,
        response: { 200: DropReport },
      },
    },
    (request) => {
      const { ns, index } = request.params
      const dryRun = request.query.dryRun ?? false
      if (!dryRun) confirm(app.config, request.headers['x-confirm'], index)
      return request.engine.dropIndex(ns, index, dryRun)
    },
  )
}

async function allIndexes({ engine, reach, server }: FastifyRequest): Promise<Index[]> {
  const seen = (await server.engine.namespaces())
    .filter(({ name }) => reach === undefined || reach.in(name) || reach.onlySetsOf(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const lists = seen.map((namespace) => listed(namespace, (name) => engine.indexes(name)))
  return (await Promise.all(lists)).flat()
}
