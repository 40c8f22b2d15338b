// Advice on the indexes of a namespace.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { adviseOn } from '../../../indexes/advice.js'
import { IndexAdvice } from '../../../schemas/namespaces/index-advice.js'
import { NamespaceName } from '../../../schemas/words.js'
import { aroundOf } from './profiles.js'

export function indexAdviceRoutes(app: App): void {
  app.get(
    // Below `indexes` it would hide an index of this name.
    '/namespaces/:ns/index-advice',
    {
      schema: {
        operationId: 'adviseIndexes',
        tags: ['indexes'],
        summary: 'Advise on indexes',
        description:
          'Answers which indexes would help queries and scans that ran without one, what each would save and cost, ' +
          'which small sets should have a set index, and which indexes nobody has used for 14 days. It reads a sample of ' +
          'at most four sets.',
        params: Type.Object({ ns: NamespaceName }),
        response: { 200: IndexAdvice },
      },
    },
    (request, reply) =>
      adviseOn(request.params.ns, {
        engine: request.engine,
        shapes: app.scannedShapes,
        usesOf: (index) => app.indexUses.of(index),
        around: aroundOf(request, reply),
        threads: app.config.defaultThreads,
      }),
  )
}
