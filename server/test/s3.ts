// An S3 endpoint of the tests' own. It keeps objects in memory, believes every signature, and can hold a request for ever.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const BUCKET = 'b'

interface Asked {
  method: string
  /** Key of the object; empty for the bucket. */
  key: string
  query: URLSearchParams
  range: string | undefined
  body: Buffer
}

export class S3 {
  readonly objects = new Map<string, Buffer>()
  readonly #uploads = new Map<string, Map<number, Buffer>>()
  readonly #server: Server
  #asked = 0
  #holdAt = Infinity
  #tell = (): void => undefined

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
    })
  }

  /** From the n-th request on, none gets an answer or changes anything. Resolves when that one is there. */
  hold(n: number): Promise<void> {
    this.#asked = 0
    this.#holdAt = n
    return new Promise((resolve) => {
      this.#tell = resolve
    })
  }

  /** Holds nothing any more. */
  release(): void {
    this.#holdAt = Infinity
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return // The client is gone.
    }
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3')
    const asked: Asked = {
      method: request.method ?? '',
      key: decodeURIComponent(pathname).slice(`/${BUCKET}/`.length),
      query: searchParams,
      range: request.headers.range,
      body: Buffer.concat(chunks),
    }
    this.#asked += 1
    if (this.#asked >= this.#holdAt) return this.#tell()
    this.#answer(asked, response)
  }

  #answer({ method, key, query, range, body }: Asked, response: ServerResponse): void {
    const upload = query.get('uploadId')
    const say = (status: number, text: string | Buffer = '', headers: Record<string, string> = {}): void => {
      response.writeHead(status, { etag: '"1"', ...headers }).end(text)
    }
    if (method === 'GET') {
      if (key === '') return say(200, this.#list(query))
      const object = this.objects.get(key)
      if (object === undefined) return say(404, '<Error><Code>NoSuchKey</Code></Error>')
      const [first, last] = (/^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []).slice(1).map(Number)
      if (first === undefined || last === undefined) return say(200, object)
      const end = Math.min(last, object.length - 1)
      if (first > end) return say(416, '<Error><Code>InvalidRange</Code></Error>')
      const headers = { 'content-range': `bytes ${first}-${end}/${object.length}` }
      return say(206, object.subarray(first, end + 1), headers)
    }
    if (upload !== null) return this.#piece({ method, key, query, range, body }, upload, say)
    if (method === 'POST') {
      const id = `u${this.#uploads.size}`
      this.#uploads.set(id, new Map())
      return say(200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    }
    if (method === 'PUT') this.objects.set(key, body)
    else this.objects.delete(key)
    say(method === 'PUT' ? 200 : 204)
  }

  #piece({ method, key, query, body }: Asked, id: string, say: (status: number, text?: string) => void): void {
    const pieces = this.#uploads.get(id)
    if (method === 'DELETE') {
      this.#uploads.set(id, new Map())
      return say(204)
    }
    if (pieces === undefined) return say(404, '<Error><Code>NoSuchUpload</Code></Error>')
    if (method === 'PUT') {
      pieces.set(Number(query.get('partNumber')), body)
      return say(200)
    }
    const inOrder = [...pieces].toSorted(([a], [b]) => a - b)
    this.objects.set(key, Buffer.concat(inOrder.map(([, bytes]) => bytes)))
    say(200, '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>')
  }

  #list(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? ''
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).toSorted()
    const folders = new Set(keys.map((key) => key.slice(0, key.indexOf('/', prefix.length) + 1)))
    const found =
      query.get('delimiter') === null
        ? keys.map((key) => `<Contents><Key>${key}</Key></Contents>`)
        : [...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`)
    return `<ListBucketResult><IsTruncated>false</IsTruncated>${found.join('')}</ListBucketResult>`
  }
}

/** What the operator's file says of it. */
export const targetOf = (endpoint: string) => ({
  endpoint,
  bucket: BUCKET,
  accessKey: 'someone',
  secretKeyVariable: 'S3_SECRET',
  pathStyle: true,
})
