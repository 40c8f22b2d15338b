// Plans as the core wrote them: parsed on the way, numbers beyond 2^53 among the terms would be rounded.
import type { FastifyReply } from 'fastify'

export const PLAN = 'application/json; charset=utf-8'

export const sendPlan = (reply: FastifyReply, plan: string) => reply.type(PLAN).send(Buffer.from(plan))
