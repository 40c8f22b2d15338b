// A request to a server that listens, in the shape of those that are injected.
import type { InjectOptions } from 'fastify'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface HttpAnswer {
  statusCode: number
  headers: Record<string, unknown>
  body: string
}

/** On a connection of its own. */
export function overHttp(port: number, { method = 'GET', url, headers, payload }: InjectOptions): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      method,
      path: String(url),
      agent: false,
      headers: { host: 'localhost:80', ...(headers as Record<string, string>) },
    })
    sent.once('error', reject)
    sent.once('response', (answer) => {
      const { statusCode = 0 } = answer
      const { 'set-cookie': cookies, ...told } = answer.headers
      const cookie = cookies?.length === 1 ? cookies[0] : cookies
      text(answer).then(
        (body) =>
          resolve({ statusCode, headers: { ...told, ...(cookie !== undefined && { 'set-cookie': cookie }) }, body }),
        reject,
      )
    })
    if (payload === undefined) return sent.end()
    // As `inject` does.
    if (!sent.hasHeader('content-length')) sent.setHeader('content-length', Buffer.byteLength(payload as string))
    sent.end(payload as string | Buffer)
  })
}
