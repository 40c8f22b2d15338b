import type { FastifyRequest } from 'fastify'

/** Notes in a job who started it. */
export function attribute(request: FastifyRequest, jobId: string): void {
  request.server.engine.attributeJob(jobId, request.who)
}
