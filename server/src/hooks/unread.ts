// Large answers count until they are read. One that finds no room is refused, if that does no harm.
import { Readable } from 'node:stream'
import type { App } from '../app-types.js'
import { heldBytesOf } from '../answers/record-stream.js'
import { GatewayError } from '../errors.js'
import { COUNTED_BYTES } from '../overload/unread.js'
import { say } from '../sentences/sentence.js'

export function boundUnread(app: App): void {
  const { unread, config, streams } = app
  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = bytesOf(payload)
    if (bytes < COUNTED_BYTES || streams.has(reply.raw)) return done()
    // What has changed something must say so, and a person who looks for the reason needs the figures.
    const must = !(request.method === 'GET' || request.method === 'HEAD') || request.routeOptions.config.vital === true
    if (unread.admit(reply.raw, bytes, must)) return done()
    // The error takes its place, and nobody would close what it reads from.
    if (payload instanceof Readable) payload.destroy()
    const message = say('clients have not read {bytes} of at most {most} bytes of answers; try again later', {
      bytes: unread.figures().heldBytes,
      most: config.unreadBytesMax,
    })
    done(new GatewayError('overloaded', message))
  })
}

/** What the gateway holds of an answer: all of it, or some pieces. */
function bytesOf(payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length
  if (payload instanceof Readable) return heldBytesOf(payload)
  return ((payload ?? {}) as { readableHighWaterMark?: number }).readableHighWaterMark ?? 0
}
