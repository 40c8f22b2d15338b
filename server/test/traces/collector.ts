// A collector of OpenTelemetry: takes spans by OTLP as JSON over HTTP, and keeps them.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Value {
  stringValue?: string
  intValue?: number
  doubleValue?: number
  boolValue?: boolean
}

interface Attribute {
  key: string
  value: Value
}

interface Sent {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  status: { code?: number }
}

export interface Received extends Omit<Sent, 'attributes'> {
  attributes: Record<string, unknown>
}

const valuesOf = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]))

export class Collector {
  readonly spans: Received[] = []
  resource: Record<string, unknown> = {}
  readonly requests: { path: string; type: string | undefined }[] = []
  /** Answers with this status, and keeps nothing unless it is 200. */
  status = 200
  /** No answer is given before this. */
  free: Promise<void> = Promise.resolve()
  readonly #server: Server

  constructor() {
    this.#server = createServer(async (request, response) => {
      await this.#take(request)
      await this.free
      response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}')
    })
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #take(request: IncomingMessage): Promise<void> {
    const body = JSON.parse(await text(request)) as {
      resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Sent[] }[] }[]
    }
    this.requests.push({ path: request.url ?? '', type: request.headers['content-type'] })
    if (this.status !== 200) return
    for (const { resource, scopeSpans } of body.resourceSpans) {
      this.resource = valuesOf(resource.attributes)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({ ...span, attributes: valuesOf(span.attributes) })
    }
  }
}
