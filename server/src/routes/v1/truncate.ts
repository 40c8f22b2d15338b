// /v1/truncate: records of a namespace or set, all or up to a date.
import { Type } from 'typebox'
import { attribute } from '../../answers/attribute.js'
import type { App } from '../../app-types.js'
import { GatewayError } from '../../errors.js'
import { confirm } from '../../requests/confirm.js'
import { parseMoment } from '../../requests/moment.js'
import { pathOf, truncateDocuments } from './wire/documents.js'
import { first, type Query } from './wire/policies.js'
import { frame, sendNothing } from './wire/wire.js'

export function compatibleTruncateRoutes(app: App): void {
  for (const { url, suffix, words } of [
    { url: '/truncate/:ns', suffix: 'Namespace', words: 'a namespace' },
    { url: '/truncate/:ns/:set', suffix: 'Set', words: 'a set' },
  ]) {
    app.delete(
      url,
      {
        config: { body: frame(), documents: { params: pathOf(url), ...truncateDocuments } },
        schema: {
          operationId: `compatibleTruncate${suffix}`,
          tags: ['v1'],
          summary: `Truncate ${words}`,
          description:
            'Deletes all records, or those last updated before `date`, and does not wait for the end. It can be undone for a while, as `truncateSet`. In production it needs `X-Confirm`.',
          response: { 202: Type.Null() },
        },
      },
      async (request, reply) => {
        const { ns, set } = request.params as { ns: string; set?: string }
        const before = momentOf(first(request.query as Query, 'date'))
        confirm(app.config, request.headers['x-confirm']?.toString(), set ?? ns)
        attribute(request, (await request.engine.truncate(ns, set, before)).id)
        return sendNothing(reply, 202)
      },
    )
  }
}

/** Unix milliseconds of a date with an offset. A plus sign arrives as a space from an unescaped query; seconds may lack. */
function momentOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const date = given.replace(' ', '+').replace(/(T\d\d:\d\d)(?=Z|[+-])/, '$1:00')
  const moment = parseMoment(date)
  if (moment === undefined) throw new GatewayError('field_invalid', `Invalid date: ${given}`, { field: 'date' })
  // Nothing was updated before the epoch.
  return Math.max(moment, 0)
}
