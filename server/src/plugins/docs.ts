// The OpenAPI document and its page. The page loads nothing from other sites.
import swaggerUi from '@fastify/swagger-ui'
import type { App } from '../app-types.js'
import { apiDocument } from './openapi.js'

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

export async function docsPage(scope: App): Promise<void> {
  await scope.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'list', tryItOutEnabled: true },
    theme: { title: 'Tessera API', css: [{ filename: 'page.css', content: '.swagger-ui .topbar { display: none }' }] },
    transformSpecification: () => apiDocument(scope) as Record<string, unknown>,
  })
}
