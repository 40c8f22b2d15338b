// The logger of a request. Few requests log anything, so it is made when one does.
import type { FastifyBaseLogger } from 'fastify'

type Line = [entry: unknown, message?: string, ...values: unknown[]]

/** Writes lines that name the request. */
class RequestLogger {
  readonly #server: FastifyBaseLogger
  readonly #names: Record<string, unknown>
  #made: FastifyBaseLogger | undefined

  constructor(server: FastifyBaseLogger, names: Record<string, unknown>) {
    this.#server = server
    this.#names = names
  }

  get level(): FastifyBaseLogger['level'] {
    return this.#log.level
  }

  child(...how: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#log.child(...how)
  }

  fatal(...line: Line): void {
    this.#log.fatal(...line)
  }

  error(...line: Line): void {
    this.#log.error(...line)
  }

  warn(...line: Line): void {
    this.#log.warn(...line)
  }

  info(...line: Line): void {
    this.#log.info(...line)
  }

  debug(...line: Line): void {
    this.#log.debug(...line)
  }

  trace(...line: Line): void {
    this.#log.trace(...line)
  }

  silent(): void {
    // As in pino: a line of this level goes nowhere.
  }

  get #log(): FastifyBaseLogger {
    return (this.#made ??= this.#server.child(this.#names))
  }
}

/** `names`: what each line says of the request, its id for example. */
export function requestLogger(server: FastifyBaseLogger, names: Record<string, unknown>): FastifyBaseLogger {
  return new RequestLogger(server, names)
}
