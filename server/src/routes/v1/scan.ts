// /v1/scan: all records of a namespace or set, in pages by token.
import type { App } from '../../app-types.js'
import type { ScanSpec } from '../../engines/engine.js'
import { observe } from '../../live/observe.js'
import { attribute } from '../../answers/attribute.js'
import { CompatibleScan } from '../../schemas/v1.js'
import { pathOf, scanDocuments } from './wire/documents.js'
import { binNames, boolean, filterPolicy, first, integer, long, type Query } from './wire/policies.js'
import { sendRows } from './wire/rows.js'
import { answerWire, shapeOf } from './wire/wire.js'

export function compatibleScanRoutes(app: App): void {
  for (const { url, suffix, words } of [
    { url: '/scan/:ns', suffix: 'Namespace', words: 'a namespace' },
    { url: '/scan/:ns/:set', suffix: 'Set', words: 'a set' },
  ]) {
    app.get(
      url,
      {
        onResponse: observe('scan'),
        config: { documents: { params: pathOf(url), ...scanDocuments } },
        schema: {
          operationId: `compatibleScan${suffix}`,
          tags: ['v1'],
          summary: `Scan ${words}`,
          description:
            'Answers all records, or a page of `maxRecords`, on one thread. In MessagePack the whole answer must fit into memory; use `maxRecords`.',
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
        const spec: ScanSpec = {
          threads: 1,
          shape: shapeOf(answerWire(request)),
          ...filterPolicy(query),
          ...(set !== undefined && { set }),
          ...(limit !== undefined && { limit }),
          ...(cursor !== undefined && { cursor }),
          ...(rate > 0 && { recordsPerSecond: rate }),
          ...(bins !== undefined && { bins }),
        }
        const stream = await request.server.streams.open(reply, () => request.engine.scan(ns, spec))
        attribute(request, stream.jobId)
        return sendRows(request, reply, stream, true)
      },
    )
  }
}
