// A reader that has the current state already gets 304 and no body (RFC 9110, 13.1.2): whatever has an ETag, by one rule.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import type { App } from '../app-types.js'
import { readIfNoneMatch } from '../requests/etag.js'
import { isRead } from '../requests/method.js'

/** Has to come before the hooks that count, compress or keep answers. */
export function answerNotModified(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const has = request.headers['if-none-match']
    // A wrong header is refused before anything is read.
    if (has !== undefined && isRead(request.method)) readIfNoneMatch(has)
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isNotModified(request, reply)) return done(null, payload)
    void reply.code(304)
    // Of HEAD, the length is that of the body which is left out.
    if (request.method === 'HEAD') return done(null, payload)
    reply.removeHeader('content-type').removeHeader('content-length').removeHeader('content-encoding')
    if (payload instanceof Readable) payload.destroy()
    done(null, null)
  })
}

function isNotModified({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  const has = headers['if-none-match']
  if (has === undefined || reply.statusCode !== 200 || !isRead(method)) return false
  const etag = reply.getHeader('etag')
  return typeof etag === 'string' && readIfNoneMatch(has)(etag)
}
