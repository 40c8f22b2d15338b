import type { App } from '../app-types.js'

/** `/docs` leads to the operations in the console, which reads them from the OpenAPI document. */
export function docsPage(scope: App): void {
  const hidden = { schema: { hide: true }, config: { public: true } }
  scope.get('/docs', hidden, (_request, reply) => reply.redirect('/api'))
}
