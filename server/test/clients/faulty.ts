// A way to a gateway that fails as it is told, for tests of clients.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

/**
 * What happens to the next request. `cut before`: it never arrives. `cut after`: its answer never arrives. `half`: the
 * connection is cut in the middle of the answer. A status: that answer in place of the gateway's.
 */
export type Fault = 'cut before' | 'cut after' | 'half' | { status: number; headers?: object; body?: object }

export class FaultyWay {
  /** One for each request to come; after them all is well. */
  faults: Fault[] = []
  /** Method, path and idempotency key of each request. */
  readonly seen: { line: string; key: string | undefined }[] = []
  readonly #server: Server
  #to = ''

  constructor() {
    this.#server = createServer((asked, answer) => {
      this.#pass(asked, answer).catch(() => asked.socket.destroy())
    })
  }

  async listen(to: string): Promise<string> {
    this.#to = to
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const fault = this.faults.shift()
    this.seen.push({ line: `${asked.method} ${asked.url}`, key: asked.headers['idempotency-key']?.toString() })
    const body = await buffer(asked)
    if (fault === 'cut before') return void asked.socket.destroy()
    if (typeof fault === 'object') {
      answer.writeHead(fault.status, { 'content-type': 'application/problem+json', ...fault.headers })
      return void answer.end(JSON.stringify(fault.body ?? {}))
    }
    const from = await this.#ask(asked, body)
    if (fault === undefined) {
      answer.writeHead(from.statusCode ?? 500, from.headers)
      return pipeline(from, answer)
    }
    const all = await buffer(from)
    if (fault === 'cut after') return void asked.socket.destroy()
    const { 'content-length': _, ...headers } = from.headers
    answer.writeHead(from.statusCode ?? 500, { ...headers, 'transfer-encoding': 'chunked' })
    answer.write(all.subarray(0, all.length / 2), () => asked.socket.destroy())
  }

  #ask({ method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { 'transfer-encoding': _, ...others } = headers
    return new Promise((resolve, reject) => {
      request(this.#to + url, { method, headers: { ...others, 'content-length': body.length } }, resolve)
        .on('error', reject)
        .end(body)
    })
  }
}
