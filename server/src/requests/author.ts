// Whom a change is attributed to.
import type { FastifyRequest } from 'fastify'

/** Who asked, and the id of the request. */
export const by = ({ who, id }: FastifyRequest): { who: string; request: string } => ({ who, request: id })
