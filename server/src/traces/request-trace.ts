// The spans of one request: its own, one per call of the engine, and one per job that it starts. No span has a key, a
// value, a path or a message: they may have data of records.
import { type Span, SpanKind, SpanStatusCode, trace, type Tracer, ROOT_CONTEXT, type Context } from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CallTrace } from '../engines/timed.js'
import { errorTable } from '../error-table.js'
import { toFailure } from '../errors.js'
import type { Job } from '../schemas/jobs/jobs.js'

export class RequestTrace implements CallTrace {
  readonly #tracer: Tracer
  readonly #span: Span
  readonly #context: Context
  readonly #request: FastifyRequest

  constructor(tracer: Tracer, span: Span, request: FastifyRequest) {
    this.#tracer = tracer
    this.#span = span
    this.#context = trace.setSpan(ROOT_CONTEXT, span)
    this.#request = request
  }

  get id(): string {
    return this.#span.spanContext().traceId
  }

  /** As in the header of the W3C. */
  get parent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext()
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  /** A span around a call of the engine: waiting for a thread and the work of the core. */
  around(name: string, call: () => unknown): unknown {
    const attributes = { 'db.system.name': 'tessera', 'db.operation.name': name, ...placeOf(this.#request) }
    const span = this.#tracer.startSpan(`engine.${name}`, { kind: SpanKind.INTERNAL, attributes }, this.#context)
    try {
      const result = call()
      const later = result instanceof Promise
      // False: the call has returned at once, from memory.
      span.setAttribute('tessera.engine.waited', later)
      if (!later) {
        span.end()
        return result
      }
      return result.then(
        (value: unknown) => {
          span.end()
          return value
        },
        (error: unknown) => {
          failed(span, error)
          throw error
        },
      )
    } catch (error) {
      failed(span, error)
      throw error
    }
  }

  end(reply: FastifyReply): void {
    const { method, routeOptions, failure, jobId, coreMs, id } = this.#request
    const { url: route } = routeOptions
    const status = reply.statusCode
    if (route !== undefined) this.#span.updateName(`${method} ${route}`).setAttribute('http.route', route)
    this.#span.setAttributes({
      'http.response.status_code': status,
      'tessera.request.id': id,
      'tessera.operation': routeOptions.schema?.operationId ?? 'none',
      'tessera.core.ms': coreMs,
      ...placeOf(this.#request),
      ...(failure !== undefined && { 'error.type': failure }),
      ...(jobId !== undefined && { 'tessera.job.id': jobId }),
      ...(!reply.raw.writableFinished && { 'tessera.aborted': true }),
    })
    if (status >= 500) this.#span.setStatus({ code: SpanStatusCode.ERROR })
    this.#span.end()
  }

  /** The span of a job that has ended. */
  job({ id, kind, namespace, set, state, done, unit, threads, createdAt, startedAt, endedAt, error }: Job): void {
    const attributes = {
      'tessera.job.id': id,
      'tessera.job.kind': kind,
      'tessera.job.state': state,
      'tessera.job.done': done,
      'tessera.job.unit': unit,
      'tessera.job.threads': threads,
      'db.namespace': namespace,
      ...(set !== undefined && { 'db.collection.name': set }),
      ...(error !== undefined && { 'error.type': error.code }),
    }
    const startTime = new Date(startedAt ?? createdAt)
    const span = this.#tracer.startSpan(`job ${kind}`, { startTime, attributes }, this.#context)
    if (state === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(endedAt === undefined ? undefined : new Date(endedAt))
  }
}

function failed(span: Span, error: unknown): void {
  const { code } = toFailure(error)
  span.setAttribute('error.type', code)
  // A record that is not there is an answer as well.
  if (errorTable[code].status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

function placeOf({ params }: FastifyRequest): Record<string, string> {
  const { ns, set } = params as { ns?: string; set?: string }
  return { ...(ns !== undefined && { 'db.namespace': ns }), ...(set !== undefined && { 'db.collection.name': set }) }
}
