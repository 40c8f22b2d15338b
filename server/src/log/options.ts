// What the log may have: no credentials, no keys and no values of records.
import type { FastifyRequest, FastifyServerOptions } from 'fastify'
import type { Config } from '../config.js'

/** Longest text of an error. */
const TEXT_MAX = 4096
const CAUSES_MAX = 3
const SECRETS = ['authorization', 'cookie', 'password', 'secret', 'token']

export interface LogSink {
  /** One line, with its newline. */
  write: (line: string) => void
}

export interface LoggedError {
  [key: string]: unknown
  type: string
  code?: string
  message: string
  stack: string
  cause?: LoggedError
}

export const logOptions = (
  { logLevel }: Pick<Config, 'logLevel'>,
  stream: LogSink,
): FastifyServerOptions['logger'] => ({
  level: logLevel,
  redact: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
  serializers: {
    err: (error) => loggedError(error),
    req: (request) => loggedRequest(request),
    res: ({ statusCode }) => ({ statusCode }),
  },
  stream,
})

/** An error without what others have hung on it, such as a request with its headers. */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error).slice(0, TEXT_MAX), stack: '' }
  const { code } = error as NodeJS.ErrnoException
  return {
    type: error.name,
    ...(typeof code === 'string' && { code }),
    message: error.message.slice(0, TEXT_MAX),
    stack: (error.stack ?? '').slice(0, TEXT_MAX),
    ...(error.cause !== undefined && depth < CAUSES_MAX && { cause: loggedError(error.cause, depth + 1) }),
  }
}

/** The path has keys of records, and the query may have a login code. */
const loggedRequest = ({ method, routeOptions }: Pick<FastifyRequest, 'method' | 'routeOptions'>) => ({
  method,
  route: routeOptions?.url ?? 'none',
})
