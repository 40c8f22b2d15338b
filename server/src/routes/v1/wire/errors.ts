// Failures in the form of the compatible API: HTTP status and Aerospike's result code.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, errorTable } from '../../../error-table.js'
import { failureHeaders, GatewayError, toFailure } from '../../../errors.js'

/** Statuses that differ from the error table. */
const statuses: Partial<Record<ErrorCode, number>> = {
  record_exists: 409,
  generation_mismatch: 409,
  record_too_large: 500,
  index_limit: 500,
  device_full: 500,
  memory_full: 500,
}

/** Aerospike's result codes. They are sent if the engine refused, not the gateway. */
export const resultCodes: Partial<Record<ErrorCode, number>> = {
  namespace_not_found: 20,
  record_not_found: 2,
  record_exists: 5,
  generation_mismatch: 3,
  record_too_large: 13,
  bin_name_invalid: 21,
  bin_type_mismatch: 12,
  filtered_out: 27,
  too_many_bins: 4,
  ttl_invalid: 4,
  name_invalid: 4,
  index_exists: 200,
  index_not_found: 201,
  index_limit: 201,
  role_required: 81,
  device_full: 8,
  memory_full: 8,
}

/** Refusals of this API only, with a result code as if the engine had refused. */
export class CompatibleError extends Error {
  readonly status: number
  readonly resultCode: number

  constructor(status: number, resultCode: number, message: string) {
    super(message)
    this.status = status
    this.resultCode = resultCode
  }
}

export class InvalidNode extends CompatibleError {
  constructor(node: string) {
    super(404, -3, `Invalid node: ${node}`)
  }
}

export class IndexMissing extends CompatibleError {
  constructor(bin: string) {
    super(404, 201, `Index not found: bin ${bin}`)
  }
}

/** Fastify's error handler for /v1. */
export function sendCompatibleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof CompatibleError) {
    const { status: told, resultCode, message } = error
    return send(reply.code(told), `Error ${resultCode}: ${message}`, resultCode)
  }
  const failure = toFailure(error)
  request.failure = failure.code
  const status = statuses[failure.code] ?? errorTable[failure.code].status
  const code = error instanceof GatewayError ? undefined : resultCodes[failure.code]
  if (status >= 500) request.log.error({ err: error, code: failure.code }, 'request failed')
  const message = code === undefined ? failure.message : `Error ${code}: ${failure.message}`
  return send(reply.code(status).headers(failureHeaders(failure)), message, code, isInDoubt(failure.code))
}

/** Whether a write that failed may have taken effect. */
export const isInDoubt = (code: ErrorCode): boolean => code === 'write_uncertain'

function send(reply: FastifyReply, message: string, code: number | undefined, inDoubt = false): FastifyReply {
  return reply
    .type('application/json')
    .serializer(JSON.stringify)
    .send({ message, inDoubt, ...(code !== undefined && { internalErrorCode: code }) })
}
