// Notes the queries of the console in the history: request, cost and outcome.
import type { FastifyRequest } from 'fastify'
import type { App } from '../app-types.js'
import type { RecordStream } from '../engines/engine.js'
import { toFailure } from '../errors.js'
import { newId } from '../files/object-files.js'
import { REQUEST_MAX } from '../schemas/records/queries.js'

interface Noted {
  namespaceId?: string
  stream?: RecordStream
  error?: string
}

/** Adds the hooks to a scope with the query route. The returned function tells them the stream of a request. */
export function noteQueries(app: App): (request: FastifyRequest, stream: RecordStream) => void {
  const noted = new WeakMap<FastifyRequest, Noted>()

  app.addHook('preHandler', (request, _reply, done) => {
    const { ns } = request.params as { ns?: string }
    // Another namespace may have the name when the query has ended.
    if (ns !== undefined) noted.set(request, { ...noted.get(request), namespaceId: app.engine.tenureOf(ns).id })
    done()
  })

  app.addHook('onError', (request, _reply, error, done) => {
    noted.set(request, { ...noted.get(request), error: toFailure(error).code })
    done()
  })

  app.addHook('onResponse', (request, reply, done) => {
    const { stream, error, namespaceId } = noted.get(request) ?? {}
    const { ns } = request.params as { ns?: string }
    const isQuery = stream !== undefined || request.routeOptions.url?.endsWith('/query') === true
    // A plan has neither a stream nor an error.
    if (isQuery && ns !== undefined && (stream ?? error) !== undefined && isConsole(request) && isFirst(request)) {
      const text = exactText(request.body)
      const summary = stream?.summary()
      const cut = summary !== undefined && !reply.raw.writableEnded ? 'aborted' : undefined
      const ended = error ?? cut
      if (text.startsWith('{') && text.length <= REQUEST_MAX) {
        app.queries.history.add({
          id: newId(),
          at: new Date().toISOString(),
          namespace: ns,
          namespaceId: namespaceId ?? '',
          request: text,
          ms: summary?.elapsedMs ?? reply.elapsedTime,
          ...(stream !== undefined && { jobId: stream.jobId }),
          ...(summary !== undefined && {
            returned: summary.returned,
            scanned: summary.scanned,
            method: summary.method,
          }),
          ...(ended !== undefined && { error: ended }),
        })
      }
    }
    done()
  })

  return (request, stream) => void noted.set(request, { ...noted.get(request), stream })
}

/** A further page belongs to the query that the first one noted. */
const isFirst = ({ body }: FastifyRequest): boolean =>
  typeof body !== 'object' || body === null || !('cursor' in body) || body.cursor === undefined

/** A session or, with `--no-auth`, a page of this gateway in a browser. */
function isConsole({ who, headers }: FastifyRequest): boolean {
  return who === 'console' || (who === 'local' && headers['sec-fetch-site'] === 'same-origin')
}

/** JSON text of a parsed body. Members that stayed as written are copied. */
export function exactText(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString().trim()
  if (Array.isArray(value)) return `[${value.map(exactText).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${exactText(member)}`)
    return `{${members.join(',')}}`
  }
  return JSON.stringify(value) ?? ''
}
