// A request to a server that listens, in the shape of those that are injected.
import type { InjectOptions } from 'fastify'
import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface HttpAnswer {
  statusCode: number
  headers: IncomingHttpHeaders
  body: string
}

/** On a connection of its own. */
export function overHttp(port: number, { method = 'GET', url, headers, payload }: InjectOptions): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, method, path: String(url), agent: false, headers: headers as Record<string, string> })
    sent.once('error', reject)
    sent.once('response', (answer) => {
      const { statusCode = 0, headers: told } = answer
      text(answer).then((body) => resolve({ statusCode, headers: told, body }), reject)
    })
    if (payload === undefined) return sent.end()
    // As `inject` does.
    if (!sent.hasHeader('content-length')) sent.setHeader('content-length', Buffer.byteLength(payload as string))
    sent.end(payload as string | Buffer)
  })
}
