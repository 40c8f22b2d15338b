// Failures as the compatible API words them: HTTP status and Aerospike's result code.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, errorTable } from '../../error-table.js'
import { failureHeaders, GatewayError, toFailure } from '../../errors.js'

interface Mapping {
  status: number
  /** Aerospike's result code, sent where the engine refused and not the gateway itself. */
  code?: number
}

/** What differs from the status of the one table, or has a result code. */
const mappings: Partial<Record<ErrorCode, Mapping>> = {
  namespace_not_found: { status: 404, code: 20 },
  set_not_found: { status: 404 },
  record_not_found: { status: 404, code: 2 },
  record_exists: { status: 409, code: 5 },
  generation_mismatch: { status: 409, code: 3 },
  record_too_large: { status: 500, code: 13 },
  bin_name_invalid: { status: 400, code: 21 },
  too_many_bins: { status: 400, code: 4 },
  ttl_invalid: { status: 400, code: 4 },
  name_invalid: { status: 400, code: 4 },
  index_exists: { status: 409, code: 200 },
  index_not_found: { status: 404, code: 201 },
  index_limit: { status: 500, code: 201 },
  device_full: { status: 500, code: 8 },
  memory_full: { status: 500, code: 8 },
  unsupported: { status: 501 },
}

/** Fastify's error handler for /v1. */
export function sendCompatibleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error)
  const mapping = mappings[failure.code]
  const status = mapping?.status ?? errorTable[failure.code].status
  const code = error instanceof GatewayError ? undefined : mapping?.code
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
