// The page of the OpenAPI document. It loads nothing from other sites.
import swaggerUi from '@fastify/swagger-ui'
import type { onSendHookHandler } from 'fastify'
import type { App } from '../app-types.js'
import { addRouteHook } from '../hooks/route-hooks.js'
import { apiDocument } from '../openapi/document.js'

const PAGE = '/docs'
/** The document in both forms; the plugin would make one for each request, which takes up to seconds. */
const DOCUMENTS = [`${PAGE}/json`, `${PAGE}/yaml`]

export async function docsPage(scope: App): Promise<void> {
  keepDocuments(scope)
  await scope.register(swaggerUi, {
    routePrefix: PAGE,
    uiConfig: { docExpansion: 'list', tryItOutEnabled: true },
    theme: { title: 'Tessera API', css: [{ filename: 'page.css', content: '.swagger-ui .topbar { display: none }' }] },
    transformSpecification: () => apiDocument(scope) as Record<string, unknown>,
  })
}

/** Each is made once, and is one buffer for all who read it. */
function keepDocuments(scope: App): void {
  const made = new Map<string, { type: string; body: Buffer }>()
  scope.addHook('onRoute', (route) => {
    const { url } = route
    if (!DOCUMENTS.includes(url)) return
    addRouteHook(route, 'preHandler', (_request, reply, done) => {
      const document = made.get(url)
      if (document === undefined) return done()
      void reply.type(document.type).send(document.body)
    })
    const keep: onSendHookHandler = (_request, reply, payload, done) => {
      if (typeof payload !== 'string' || reply.statusCode !== 200) return done(null, payload)
      const document = { type: String(reply.getHeader('content-type')), body: Buffer.from(payload) }
      made.set(url, document)
      reply.removeHeader('content-length')
      done(null, document.body)
    }
    // Before it is compressed.
    addRouteHook(route, 'onSend', keep, 'first')
  })
}
