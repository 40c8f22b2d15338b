// /v1/truncate: all records of a namespace or set.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { GatewayError } from '../../errors.js'
import { confirm } from '../../rest/confirm.js'
import { first, type Query } from './policies.js'

const ISO_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

export function compatibleTruncateRoutes(app: App): void {
  for (const { url, suffix } of [
    { url: '/truncate/:ns', suffix: 'Namespace' },
    { url: '/truncate/:ns/:set', suffix: 'Set' },
  ]) {
    app.delete(
      url,
      {
        schema: {
          operationId: `compatibleTruncate${suffix}`,
          tags: ['v1'],
          summary: 'Delete all records; does not wait',
          response: { 202: Type.Null() },
        },
      },
      async (request, reply) => {
        const { ns, set } = request.params as { ns: string; set?: string }
        checkDate(first(request.query as Query, 'date'))
        confirm(app.config, request.headers['x-confirm']?.toString(), set ?? ns)
        await request.engine.truncate(ns, set)
        return reply.code(202).send(null)
      },
    )
  }
}

/** Records do not keep when they were made, so a truncation up to a date is refused and not guessed at. */
function checkDate(given: string | undefined): void {
  if (given === undefined) return
  const date = given.replace(' ', '+')
  if (!ISO_WITH_OFFSET.test(date) || Number.isNaN(Date.parse(date))) {
    throw new GatewayError('field_invalid', `Invalid date: ${given}`, { field: 'date' })
  }
  throw new GatewayError('unsupported', 'truncation up to a date is not supported', { field: 'date' })
}
