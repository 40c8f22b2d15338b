// Failed logins, and login links.
import type { FastifyRequest } from 'fastify'
import { GatewayError } from '../errors.js'

export const loginUrl = (origin: string, code: string): string => `${origin}/login?code=${code}`

/** The failure to answer. An address with too many failed logins has to wait. */
export function failedLogin(
  request: FastifyRequest,
  code: 'auth_invalid' | 'login_code_invalid',
  message: string,
): GatewayError {
  const waitSeconds = request.server.access.failed(request.ip)
  if (waitSeconds === 0) return new GatewayError(code, message)
  return new GatewayError('too_many_logins', `too many failed logins; wait ${waitSeconds} s`, {
    headers: { 'retry-after': String(waitSeconds) },
  })
}
