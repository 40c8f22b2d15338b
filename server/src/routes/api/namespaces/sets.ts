// Sets: list, create, switch the set index, truncate.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import type { Engine } from '../../../engines/engine.js'
import { confirm } from '../../../requests/confirm.js'
import { GatewayError } from '../../../errors.js'
import { accepted } from '../../../answers/accepted.js'
import { pageOf } from '../../../requests/page.js'
import { ConfirmHeaders, DropReport, DryRun } from '../../../schemas/drop.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { PageQuery } from '../../../schemas/pages.js'
import { momentOf } from '../../../requests/moment.js'
import { Before, Wait } from '../../../schemas/quantities.js'
import { NamespaceName, SetName } from '../../../schemas/words.js'
import { Job } from '../../../schemas/jobs/jobs.js'
import { RecordSet, SetConfig, SetPage, SetPatch } from '../../../schemas/namespaces/sets.js'

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
          'Answers the sets of a namespace, with records, size and the state of the set index. The set with an ' +
          'empty name holds the records without a set.',
        params: nsParams,
        querystring: PageQuery,
        response: { 200: SetPage },
      },
    },
    (request) => request.engine.sets(request.params.ns).then((sets) => pageOf(sets, request.query, (set) => set.name)),
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
    (request) => oneSet(request.engine, request.params.ns, request.params.set),
  )

  app.patch(
    '/namespaces/:ns/sets/:set',
    {
      config: {
        merge: async ({ engine, params: of }) => {
          const { ns, set } = of as { ns: string; set: string }
          return { limits: (await engine.sets(ns)).find(({ name }) => name === set)?.limits }
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
        throw new GatewayError('field_missing', 'the body needs index, limits or both', { field: 'index' })
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
          'Deletes all records of a set, or those last updated before a time, as a job. It cannot be undone. ' +
          'With `dryRun=true` it only answers what would go. In production it needs `X-Confirm`.',
        params,
        querystring: Type.Object(
          { dryRun: DryRun, wait: Wait, before: Type.Optional(Before) },
          { additionalProperties: false },
        ),
        headers: ConfirmHeaders,
        response: { 200: DropReport, 202: Job },
      },
    },
    async (request, reply) => {
      const { ns, set } = request.params
      const { before, dryRun, wait } = request.query
      if (dryRun === true && before !== undefined)
        throw new GatewayError('field_invalid', 'a dry run always counts all records of the set; leave before out', {
          field: 'before',
        })
      if (dryRun === true) return reply.code(200).send(await request.engine.previewTruncate(ns, set))
      confirm(app.config, request.headers['x-confirm'], set)
      return accepted(request.engine, reply, await request.engine.truncate(ns, set, momentOf(before)), wait)
    },
  )
}

async function oneSet(engine: Engine, ns: string, name: string): Promise<RecordSet> {
  const set = (await engine.sets(ns)).find((candidate) => candidate.name === name)
  if (set === undefined)
    throw new GatewayError('set_not_found', `the namespace ${ns} has no set ${name}`, { field: 'set' })
  return set
}
