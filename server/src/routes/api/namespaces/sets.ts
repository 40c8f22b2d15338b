// Sets: list, create, switch the set index, truncate.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import type { Engine } from '../../../engines/engine.js'
import { confirm } from '../../../requests/confirm.js'
import { GatewayError } from '../../../errors.js'
import { accepted } from '../../../answers/accepted.js'
import { LIMIT_DEFAULT } from '../../../requests/page.js'
import { cursorOf, placeOf } from '../../../requests/set-cursor.js'
import { ConfirmHeaders, DropReport, DryRun, ForGood } from '../../../schemas/drop.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { momentOf } from '../../../requests/moment.js'
import { Before, Wait } from '../../../schemas/quantities.js'
import { NamespaceName, SetName } from '../../../schemas/words.js'
import { Job } from '../../../schemas/jobs/jobs.js'
import { RecordSet, SetConfig, SetPage, SetPatch, SetQuery } from '../../../schemas/namespaces/sets.js'
import { say } from '../../../sentences/sentence.js'

const tags = ['sets']
const nsParams = Type.Object({ ns: NamespaceName })
const params = Type.Object({ ns: NamespaceName, set: SetName })

export function setRoutes(app: App): void {
  app.get(
    '/namespaces/:ns/sets',
    {
      schema: {
        operationId: 'listSets',
        tags,
        summary: 'List sets',
        description:
          'Answers a page of the sets of a namespace, with records, size and the state of the set index. The set with an ' +
          'empty name holds the records without a set. A page stays in its order while sets come and go; a set whose ' +
          'size changes meanwhile can be missed or shown twice.',
        params: nsParams,
        querystring: SetQuery,
        response: { 200: SetPage },
      },
    },
    (request) => page(request.engine, request.params.ns, request.query),
  )

  app.post(
    '/namespaces/:ns/sets',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'createSet',
        tags,
        summary: 'Create a set',
        description:
          'Creates an empty set. It is only needed for a distribution bin, an index or limits; other sets ' +
          'appear with their first record. A distribution bin for a set that has records is refused with `set_not_empty`.',
        params: nsParams,
        headers: IdempotencyHeaders,
        body: SetConfig,
        response: { 201: RecordSet },
      },
    },
    async (request, reply) => {
      const { ns } = request.params
      const set = await request.engine.createSet(ns, request.body)
      return reply.code(201).header('location', `/api/v1/namespaces/${ns}/sets/${set.name}`).send(set)
    },
  )

  app.get(
    '/namespaces/:ns/sets/:set',
    {
      schema: {
        operationId: 'getSet',
        tags,
        summary: 'Show a set',
        description: 'Answers records, size, limits and the state of the set index.',
        params,
        response: { 200: RecordSet },
      },
    },
    (request) => request.engine.set(request.params.ns, request.params.set),
  )

  app.patch(
    '/namespaces/:ns/sets/:set',
    {
      config: {
        merge: async ({ engine, params: of }) => {
          const { ns, set } = of as { ns: string; set: string }
          return { limits: (await engine.set(ns, set)).limits }
        },
      },
      schema: {
        operationId: 'updateSet',
        tags,
        summary: 'Change a set',
        description:
          'Changes the limits of a set (200), or builds or drops its index as a job (202), while records are ' +
          'written. Unset limits in `limits` mean no limit.',
        params,
        querystring: Type.Object({ wait: Wait }, { additionalProperties: false }),
        body: SetPatch,
        response: { 200: RecordSet, 202: Job },
      },
    },
    async (request, reply) => {
      const { ns, set } = request.params
      const { index, threads, limits } = request.body
      const limited = limits === undefined ? undefined : await request.engine.limitSet(ns, set, limits)
      if (index === undefined) {
        if (limited !== undefined && threads === undefined) return reply.code(200).send(limited)
        throw new GatewayError('field_missing', say('the body needs index, limits or both'), { field: 'index' })
      }
      const job = await request.engine.switchSetIndex(ns, set, index, threads)
      return accepted(request.engine, reply, job, request.query.wait)
    },
  )

  app.delete(
    '/namespaces/:ns/sets/:set',
    {
      schema: {
        operationId: 'truncateSet',
        tags,
        summary: 'Truncate a set',
        description:
          'Deletes all records of a set, or those last updated before a time, as a job. Until `parameters.undoUntil` ' +
          'of the job it can be undone with `POST /api/v1/namespaces/{ns}/truncations/{id}/undo`: the records are ' +
          'hidden, and stay in the storage. They give way before that if writes need the room. With `forGood=true`, ' +
          'in a namespace that migrates, is nearly full or is on a cluster, it is final at once. With `dryRun=true` ' +
          'it only answers what would go. In production it needs `X-Confirm`.',
        params,
        querystring: Type.Object(
          { dryRun: DryRun, forGood: ForGood, wait: Wait, before: Type.Optional(Before) },
          { additionalProperties: false },
        ),
        headers: ConfirmHeaders,
        response: { 200: DropReport, 202: Job },
      },
    },
    async (request, reply) => {
      const { ns, set } = request.params
      const { before, dryRun, forGood, wait } = request.query
      if (dryRun === true && before !== undefined)
        throw new GatewayError(
          'field_invalid',
          say('a dry run always counts all records of the set; leave before out'),
          {
            field: 'before',
          },
        )
      if (dryRun === true) return reply.code(200).send(await request.engine.previewTruncate(ns, set, forGood))
      confirm(app.config, request.headers['x-confirm'], set)
      const job = await request.engine.truncate(ns, set, momentOf(before), forGood)
      return accepted(request.engine, reply, job, wait)
    },
  )
}

async function page(engine: Engine, ns: string, query: SetQuery): Promise<SetPage> {
  const { q, prefix, sort = 'name', order = 'asc', limit = LIMIT_DEFAULT, cursor } = query
  const { sets, matching, records, bytes, next } = await engine.setPage(ns, {
    ...(q !== undefined && { part: q }),
    ...(prefix !== undefined && { start: prefix }),
    ...(cursor !== undefined && { after: placeOf(cursor, sort, order) }),
    sort,
    descending: order === 'desc',
    limit,
  })
  return {
    items: sets,
    truncated: next !== undefined,
    ...(next !== undefined && { cursor: cursorOf(next, sort, order) }),
    limit,
    total: { sets: matching, records, bytes },
  }
}
