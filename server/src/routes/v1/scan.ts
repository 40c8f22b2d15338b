// /v1/scan: all records of a namespace or set, in pages by token.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { observe } from '../../live/observe.js'
import { attribute } from '../../rest/attribute.js'
import { sendObject } from '../../rest/record-stream.js'
import { binNames, boolean, first, integer, long, type Query } from './policies.js'

const CompatibleScan = Type.Object(
  {
    records: Type.Array(
      Type.Object({
        userKey: Type.Optional(Type.Unknown()),
        generation: Type.Integer(),
        ttl: Type.Integer(),
        bins: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
      }),
    ),
    pagination: Type.Object({
      totalRecords: Type.Integer({ description: 'records on this page' }),
      nextToken: Type.Optional(Type.String()),
    }),
  },
  { title: 'CompatibleScan' },
)

export function compatibleScanRoutes(app: App): void {
  for (const { url, suffix } of [
    { url: '/scan/:ns', suffix: 'Namespace' },
    { url: '/scan/:ns/:set', suffix: 'Set' },
  ]) {
    app.get(
      url,
      {
        onResponse: observe('scan'),
        schema: {
          operationId: `compatibleScan${suffix}`,
          tags: ['v1'],
          summary: 'Records in pages: ?maxRecords= and ?from=<nextToken>',
          response: { 200: CompatibleScan },
        },
      },
      async (request, reply) => {
        const { ns, set } = request.params as { ns: string; set?: string }
        const query = request.query as Query
        const limit = long(query, 'maxRecords')
        // A plus sign that was pasted unescaped arrives as a space.
        const cursor = first(query, 'from')?.replaceAll(' ', '+')
        const rate = integer(query, 'recordsPerSecond') ?? 0
        const bins = boolean(query, 'includeBinData', true) ? binNames(query) : []
        const stream = request.engine.scan(ns, {
          threads: 1,
          shape: 'v1',
          ...(set !== undefined && { set }),
          ...(limit !== undefined && { limit }),
          ...(cursor !== undefined && { cursor }),
          ...(rate > 0 && { recordsPerSecond: rate }),
          ...(bins !== undefined && { bins }),
        })
        attribute(request, stream.jobId)
        return sendObject(reply, stream, '{"records":[', ({ returned, cursor: nextToken }) => {
          const pagination = { totalRecords: returned, ...(nextToken !== undefined && { nextToken }) }
          return `],"pagination":${JSON.stringify(pagination)}}`
        })
      },
    )
  }
}
