// Passes plans through as the core wrote them. Parsing would round numbers beyond 2^53 in the terms.
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'

export const PLAN = 'application/json; charset=utf-8'

/** `?explain=true`, in addition to `explain` in the body. */
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
