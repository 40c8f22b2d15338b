// Long work answers 202 with its job and its location.
import type { FastifyReply } from 'fastify'
import type { Engine } from '../engines/engine.js'
import type { Job } from '../schemas/jobs/jobs.js'
import { attribute } from './attribute.js'
import { waitMs } from '../requests/duration.js'

/** Sends the job. `wait` delays the answer until the job ends or the time is over. */
export async function accepted(engine: Engine, reply: FastifyReply, job: Job, wait?: string): Promise<void> {
  attribute(reply.request, job.id)
  const answer = wait === undefined ? engine.job(job.id) : await engine.waitJob(job.id, waitMs(wait))
  return reply.code(202).header('location', `/api/v1/jobs/${job.id}`).send(answer)
}
