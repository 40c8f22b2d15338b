import type { FastifyRequest } from 'fastify'

/** Notes in a job who started it, and in the request which job. */
export function attribute(request: FastifyRequest, jobId: string): void {
  request.jobId = jobId
  request.server.engine.attributeJob(jobId, request.who)
}
