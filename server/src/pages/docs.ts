// The page of the OpenAPI document. It loads nothing from other sites.
import swaggerUi from '@fastify/swagger-ui'
import type { App } from '../app-types.js'
import { apiDocument } from '../openapi/document.js'

export async function docsPage(scope: App): Promise<void> {
  await scope.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'list', tryItOutEnabled: true },
    theme: { title: 'Tessera API', css: [{ filename: 'page.css', content: '.swagger-ui .topbar { display: none }' }] },
    transformSpecification: () => apiDocument(scope) as Record<string, unknown>,
  })
}
