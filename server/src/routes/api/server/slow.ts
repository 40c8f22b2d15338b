// /api/v1/slow: operations that took long, and which are kept.
import type { App } from '../../../app-types.js'
import { GatewayError } from '../../../errors.js'
import { momentMs, momentOf } from '../../../requests/moment.js'
import { nameList } from '../../../requests/name-list.js'
import { SlowCleared, SlowOperations, SlowPatch, SlowQuery, SlowSettings } from '../../../schemas/server/slow.js'
import { say } from '../../../sentences/sentence.js'

const tags = ['metrics']
const LIMIT_DEFAULT = 100

export function slowRoutes(app: App): void {
  app.get(
    '/slow',
    {
      schema: {
        operationId: 'listSlowOperations',
        tags,
        summary: 'List slow operations',
        description:
          'Answers the operations that took at least the threshold, and the 16 slowest of each kind of the last hour. ' +
          'Each has where its time went. A restart keeps them.',
        querystring: SlowQuery,
        response: { 200: SlowOperations },
      },
    },
    async ({ engine, query: { op, since, until, group, sort = 'newest', limit = LIMIT_DEFAULT, ...wanted } }) => {
      const { minMs, belowMs, minEngineMs, belowEngineMs } = wanted
      checkOrder('minMs', minMs, 'belowMs', belowMs)
      checkOrder('minEngineMs', minEngineMs, 'belowEngineMs', belowEngineMs)
      if (since !== undefined && until !== undefined && momentMs(since) >= momentMs(until))
        throw new GatewayError(
          'field_invalid',
          say('since must be before until, got {given} and {until}', { given: since, until }),
          {
            field: 'since',
          },
        )
      const [sinceMs, untilMs] = [momentOf(since), momentOf(until)]
      const query = {
        ...wanted,
        ...(op !== undefined && { ops: nameList(op) }),
        ...(sinceMs !== undefined && { sinceMs }),
        ...(untilMs !== undefined && { untilMs }),
        sort,
        limit,
      }
      if (group === undefined) return { ...(await engine.slowOperations(query)), limit }
      const { items, truncated } = await engine.slowGroups(query)
      return { items: [], groups: items, limit, truncated }
    },
  )

  app.delete(
    '/slow',
    {
      schema: {
        operationId: 'clearSlowOperations',
        tags,
        summary: 'Remove all slow operations',
        description: 'Removes the kept operations, from the disk too. Settings stay.',
        response: { 200: SlowCleared },
      },
    },
    async ({ engine }) => ({ removed: await engine.clearSlowOperations() }),
  )

  app.get(
    '/slow/settings',
    {
      schema: {
        operationId: 'getSlowSettings',
        tags,
        summary: 'Show which operations are kept as slow',
        description: 'Answers the thresholds, and how many operations are kept.',
        response: { 200: SlowSettings },
      },
    },
    ({ engine }) => engine.slowSettings(),
  )

  app.patch(
    '/slow/settings',
    {
      schema: {
        operationId: 'changeSlowSettings',
        tags,
        summary: 'Change which operations are kept as slow',
        description:
          'Changes the settings from the next operation on. They are kept over a restart. A namespace in `namespaces` ' +
          'must exist, unless its threshold is null.',
        body: SlowPatch,
        response: { 200: SlowSettings },
      },
    },
    ({ engine, body }) => {
      // The engine's text is UTF-8, and would lose such a name.
      if (Object.keys(body.namespaces ?? {}).some((name) => /\p{Surrogate}/u.test(name)))
        throw new GatewayError('field_invalid', say('a name in namespaces is no Unicode text'), { field: 'namespaces' })
      return app.slow.change(engine, body)
    },
  )
}

function checkOrder(least: string, min = 0, most: string, below = Infinity): void {
  if (below <= min)
    throw new GatewayError(
      'field_invalid',
      say('{most} must be above {least}, {min}, got {given}', { most, least, min, given: below }),
      { field: most },
    )
}
