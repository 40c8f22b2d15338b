// Plans as the core wrote them: parsed on the way, numbers beyond 2^53 among the terms would be rounded.
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'

export const PLAN = 'application/json; charset=utf-8'

/** `?explain=true`, beside `explain` in the body. */
export const ExplainQuery = Type.Object(
  {
    explain: Type.Optional(
      Type.Boolean({
        description: 'Answer the plan and read no records; like `explain` in the body. Default: false.',
        examples: [true],
      }),
    ),
  },
  { additionalProperties: false },
)

export const sendPlan = (reply: FastifyReply, plan: string) => reply.type(PLAN).send(Buffer.from(plan))
