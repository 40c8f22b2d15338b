// GET /api/v1/openapi.json.
import { Type } from 'typebox'
import type { App } from '../app-types.js'
import { bodyEtag } from '../requests/etag.js'
import { IfNoneMatchHeaders } from '../schemas/etags.js'
import { apiDocument } from './document.js'

const OpenapiDocument = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'The OpenAPI document.',
    examples: [{ openapi: '3.1.0', info: { title: 'Tessera', version: '1' }, paths: {} }],
  },
)

export function documentRoute(scope: App): void {
  // One buffer for all who read it: a client that does not read holds no copy.
  let made: { body: Buffer; etag: string } | undefined
  scope.get(
    '/openapi.json',
    {
      schema: {
        operationId: 'getOpenapi',
        tags: ['status'],
        summary: 'Read this document',
        description:
          'Answers this API as an OpenAPI 3.1 document. The console shows it at `/api`. Send its `ETag` as ' +
          '`If-None-Match` to get 304 until the server has another one.',
        headers: IfNoneMatchHeaders,
        response: { 200: OpenapiDocument },
      },
    },
    (_request, reply) => {
      made ??= make(scope)
      reply
        .header('cache-control', 'private, no-cache')
        .header('etag', made.etag)
        .header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '))
        .type('application/json')
        .send(made.body)
    },
  )
}

function make(scope: App): { body: Buffer; etag: string } {
  const body = Buffer.from(JSON.stringify(apiDocument(scope)))
  return { body, etag: bodyEtag(body) }
}
