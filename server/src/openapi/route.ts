// GET /api/v1/openapi.json.
import type { App } from '../app-types.js'
import { apiDocument } from './document.js'

export function documentRoute(scope: App): void {
  // One buffer for all who read it: a client that does not read holds no copy.
  let body: Buffer | undefined
  scope.get(
    '/openapi.json',
    {
      schema: {
        operationId: 'getOpenapi',
        tags: ['status'],
        summary: 'Read this document',
        description: 'Answers this API as an OpenAPI 3.1 document. `/docs` shows it as a page.',
      },
    },
    (_request, reply) => {
      body ??= Buffer.from(JSON.stringify(apiDocument(scope)))
      reply.type('application/json').send(body)
    },
  )
}
