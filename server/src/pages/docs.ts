// The page of the OpenAPI document. It loads nothing from other sites.
import swaggerUi from '@fastify/swagger-ui'
import type { onSendHookHandler } from 'fastify'
import type { App } from '../app-types.js'
import { addRouteHook } from '../hooks/route-hooks.js'
import { bodyEtag } from '../requests/etag.js'
import { apiDocument } from '../openapi/document.js'

const PAGE = '/docs'
/** The document in both forms; the plugin would make one for each request, which takes up to seconds. */
const DOCUMENTS = [`${PAGE}/json`, `${PAGE}/yaml`]

export async function docsPage(scope: App): Promise<void> {
  keepDocuments(scope)
  await scope.register(swaggerUi, {
    routePrefix: PAGE,
    ...(scope.config.basePath !== '' && { indexPrefix: scope.config.basePath }),
    // The other layout has a bar whose logo brings styles that the policy of pages refuses.
    uiConfig: { docExpansion: 'list', tryItOutEnabled: true, layout: 'BaseLayout' },
    theme: { title: 'Tessera API' },
    transformSpecification: () => apiDocument(scope) as Record<string, unknown>,
  })
}

interface Document {
  type: string
  body: Buffer
  etag: string
}

const headersOf = ({ type, etag }: Document) => ({
  'content-type': type,
  'cache-control': 'private, no-cache',
  etag,
  vary: 'accept-encoding',
})

/** Each is made once, and is one buffer for all who read it. */
function keepDocuments(scope: App): void {
  const made = new Map<string, Document>()
  scope.addHook('onRoute', (route) => {
    const { url } = route
    if (!DOCUMENTS.includes(url)) return
    addRouteHook(route, 'preHandler', (_request, reply, done) => {
      const document = made.get(url)
      if (document === undefined) return done()
      void reply.headers(headersOf(document)).send(document.body)
    })
    const keep: onSendHookHandler = (_request, reply, payload, done) => {
      if (typeof payload !== 'string' || reply.statusCode !== 200) return done(null, payload)
      const document = {
        type: String(reply.getHeader('content-type')),
        body: Buffer.from(payload),
        etag: bodyEtag(payload),
      }
      made.set(url, document)
      reply.removeHeader('content-length').headers(headersOf(document))
      done(null, document.body)
    }
    // Before it is compressed.
    addRouteHook(route, 'onSend', keep, 'first')
  })
}
