// Records the latency that a client saw, from the request head to the last byte of the answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../schemas/server/metrics.js'
import { countAdded } from './added.js'

const NANOS_PER_MS = 1e6

/** An onResponse hook for routes with `:ns`. */
export function observe(op: Operation) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    record(op, (request.params as { ns: string }).ns, request, reply)
    done()
  }
}

/** Records the latency of a request in one namespace. Refused requests do not count; reads that found nothing do. */
export function record(op: Operation, ns: string, request: FastifyRequest, reply: FastifyReply): void {
  // The main thread counts it.
  if (request.elsewhere) return
  // Who does not know a namespace leaves no trace in it.
  if (request.reach?.knows(ns) === false) return
  const { statusCode, elapsedTime } = reply
  if (statusCode >= 400 && statusCode !== 404 && statusCode !== 412 && statusCode < 500) return
  const { engine, added } = request.server
  engine.recordLatency(ns, op, Math.round(elapsedTime * NANOS_PER_MS), statusCode < 500)
  if (statusCode < 500) countAdded(added, op, Math.round((elapsedTime - request.coreMs) * NANOS_PER_MS))
}
