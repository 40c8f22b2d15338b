// Notes what queries and scans have read without an index, when they have ended.
import type { FastifyRequest } from 'fastify'
import type { App } from '../app-types.js'
import type { RecordStream } from '../engines/engine.js'
import { parsedWhere, testsOf } from './shape.js'

interface Asked {
  set?: string
  where?: unknown
  /** Set: it does not answer every record that passes, or answers rows of another kind. */
  sample?: unknown
  limit?: unknown
  cursor?: unknown
  aggregate?: unknown
  group?: unknown
  unnest?: unknown
  segments?: unknown
}

/** Adds the hook to a scope with such routes. The returned function tells it the stream of a request. */
export function noteScans(app: App): (request: FastifyRequest, stream: RecordStream) => void {
  const noted = new WeakMap<FastifyRequest, RecordStream>()

  app.addHook('onResponse', (request, reply, done) => {
    const stream = noted.get(request)
    // One that was cut off tells neither its time nor its records.
    if (stream !== undefined && reply.raw.writableEnded) note(app, request, stream)
    done()
  })

  return (request, stream) => void noted.set(request, stream)
}

function note(app: App, request: FastifyRequest, stream: RecordStream): void {
  const { ns: namespace } = request.params as { ns: string }
  const asked = request.body as Asked
  const { set, where, sample, segments } = asked
  // A part of the records says nothing about the whole.
  if (sample !== undefined || segments !== undefined) return
  const partial = [asked.cursor, asked.aggregate, asked.group, asked.unnest]
  const tests = where === undefined ? [] : (testsOf(parsedWhere(where)) ?? [])
  app.scannedShapes.note({
    namespace,
    set,
    tests,
    whole: partial.every((part) => part === undefined),
    summary: stream.summary(),
  })
}
