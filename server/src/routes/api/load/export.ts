// Export: a namespace, a set or a query as NDJSON, CSV or MessagePack, streamed.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import type { ExportSpec } from '../../../engines/engine.js'
import { attribute } from '../../../answers/attribute.js'
import { GatewayError } from '../../../errors.js'
import { readKey } from '../../../requests/key.js'
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
          '`reader_stalled`. With `resumable=true`, an export that breaks off can be resumed behind the last whole row ' +
          'that you have. Send the same parameters, and the digest of that row as `after`. Over the parts, each record ' +
          'that stays untouched comes exactly once. For CSV, send `afterKey`, and name its columns in `columns`; the ' +
          'line of names is not sent again. The header `X-Export-Id` says which records come in which order.',
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
      const { otherBins, exportId } = request.query
      const spec: ExportSpec = {
        format,
        threads,
        ...(set !== undefined && { set }),
        ...(columns !== undefined && { columns: nameList(columns) }),
        ...(metadata !== undefined && { metadata }),
        ...(otherBins !== undefined && { otherBins }),
        ...(exportId !== undefined && { exportId }),
        ...(where !== undefined && { where: Buffer.from(where) }),
        ...beginning(request.query),
      }
      const stream = await app.streams.open(reply, () => request.engine.export(ns, spec))
      attribute(request, stream.jobId)
      if (typeof stream.exportId === 'string') reply.header('x-export-id', stream.exportId)
      const name = [ns, ...(set === undefined ? [] : [set || 'without-set'])].join('.')
      reply.header('content-disposition', `attachment; filename="${name}.${format}"`)
      return sendLines(reply, stream, mediaTypes[format])
    },
  )
}

/**
 * Where an export begins.
 *
 * @throws GatewayError `field_invalid`, `key_invalid`, `number_out_of_range`
 */
function beginning({ set, after, afterKey, keytype, afterSet, exportId, resumable }: ExportQuery): Partial<ExportSpec> {
  const wrong = (message: string, field: string): GatewayError => new GatewayError('field_invalid', message, { field })
  if (after !== undefined && afterKey !== undefined) throw wrong('send after or afterKey, not both', 'afterKey')
  if (afterKey === undefined && afterSet !== undefined) throw wrong('afterSet needs afterKey', 'afterSet')
  if (afterKey === undefined && keytype !== undefined) throw wrong('keytype needs afterKey', 'keytype')
  if (after === undefined && afterKey === undefined) {
    if (exportId !== undefined) throw wrong('exportId needs after or afterKey', 'exportId')
    return resumable === undefined ? {} : { resumable }
  }
  if (resumable === false) throw wrong('after and afterKey need resumable=true, or no resumable', 'resumable')
  if (after !== undefined) return { after: readKey(after, 'digest', 'after').value as Buffer }
  const { value } = readKey(afterKey ?? '', keytype ?? 'string', 'afterKey')
  return { afterKey: value, afterSet: afterSet ?? set ?? '' }
}
