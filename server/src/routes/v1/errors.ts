// Failures as the compatible API words them: HTTP status and Aerospike's result code.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, errorTable } from '../../error-table.js'
import { failureHeaders, GatewayError, toFailure } from '../../errors.js'

/** Statuses that differ from those of the one table. */
const statuses: Partial<Record<ErrorCode, number>> = {
  record_exists: 409,
  generation_mismatch: 409,
  record_too_large: 500,
  index_limit: 500,
  device_full: 500,
  memory_full: 500,
}

/** Aerospike's result codes, sent where the engine refused and not the gateway itself. */
const resultCodes: Partial<Record<ErrorCode, number>> = {
  namespace_not_found: 20,
  record_not_found: 2,
  record_exists: 5,
  generation_mismatch: 3,
  record_too_large: 13,
  bin_name_invalid: 21,
  too_many_bins: 4,
  ttl_invalid: 4,
  name_invalid: 4,
  index_exists: 200,
  index_not_found: 201,
  index_limit: 201,
  device_full: 8,
  memory_full: 8,
}

/** Fastify's error handler for /v1. */
export function sendCompatibleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error)
  const status = statuses[failure.code] ?? errorTable[failure.code].status
  const code = error instanceof GatewayError ? undefined : resultCodes[failure.code]
  if (status >= 500) request.log.error({ err: error, code: failure.code }, 'request failed')
  return reply
    .code(status)
    .headers(failureHeaders(failure))
    .type('application/json')
    .serializer(JSON.stringify)
    .send({
      message: code === undefined ? failure.message : `Error ${code}: ${failure.message}`,
      inDoubt: false,
      ...(code !== undefined && { internalErrorCode: code }),
    })
}
