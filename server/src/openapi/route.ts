// GET /api/v1/openapi.json.
import type { App } from '../app-types.js'
import { apiDocument } from './document.js'

export function documentRoute(scope: App): void {
  let text: string | undefined
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
      text ??= JSON.stringify(apiDocument(scope))
      reply.type('application/json').send(text)
    },
  )
}
