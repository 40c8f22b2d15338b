// Export: a namespace, a set or a query as NDJSON, CSV or MessagePack, streamed.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import type { ExportSpec } from '../../../engines/engine.js'
import { attribute } from '../../../answers/attribute.js'
import { nameList } from '../../../requests/name-list.js'
import { CSV, LINES, PACKED } from '../../../answers/preferred.js'
import { sendLines } from '../../../answers/record-stream.js'
import { NamespaceName } from '../../../schemas/words.js'
import { ExportQuery } from '../../../schemas/load/export.js'

const mediaTypes = { ndjson: LINES, csv: 'text/csv; charset=utf-8', msgpack: PACKED } as const

export function exportRoutes(app: App): void {
  app.get(
    '/namespaces/:ns/export',
    {
      exposeHeadRoute: false,
      config: { produces: [LINES, CSV, PACKED, 'application/octet-stream'] },
      schema: {
        operationId: 'exportRecords',
        tags: ['load'],
        summary: 'Export records',
        description:
          'Streams a namespace, a set or the records that match a filter as NDJSON, CSV or MessagePack, as a job. It ' +
          'covers the segments this node is the primary owner of. If you stop reading, the job ends with ' +
          '`reader_stalled`.',
        params: Type.Object({ ns: NamespaceName }),
        querystring: ExportQuery,
        response: {
          200: {
            description: 'The records.',
            content: {
              [LINES]: {
                schema: Type.String({
                  description: 'One record per line.',
                  examples: ['{"key":"ada","bins":{"name":"Ada"}}\n'],
                }),
              },
              [CSV]: {
                schema: Type.String({
                  description: 'The key and the bins of one record per line, under a line of names.',
                  examples: ['key,name\nada,Ada\n'],
                }),
              },
              [PACKED]: {
                schema: Type.Unsafe<string>({
                  type: 'string',
                  format: 'binary',
                  examples: ['\u0081\u00a3key\u0001'],
                  description: 'One map per record, one after another, with the fields of a line of NDJSON.',
                }),
              },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { ns } = request.params
      const { set, format = 'ndjson', columns, metadata, where, threads = app.config.defaultThreads } = request.query
      const spec: ExportSpec = {
        format,
        threads,
        ...(set !== undefined && { set }),
        ...(columns !== undefined && { columns: nameList(columns) }),
        ...(metadata !== undefined && { metadata }),
        ...(where !== undefined && { where: Buffer.from(where) }),
      }
      const stream = await app.streams.open(reply, () => request.engine.export(ns, spec))
      attribute(request, stream.jobId)
      const name = [ns, ...(set === undefined ? [] : [set || 'without-set'])].join('.')
      reply.header('content-disposition', `attachment; filename="${name}.${format}"`)
      return sendLines(reply, stream, mediaTypes[format])
    },
  )
}
