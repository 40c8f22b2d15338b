/** An error of the API (RFC 9457) as an exception with a stable code. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    readonly field: string | undefined,
    readonly retryable: boolean,
    readonly requestId: string | undefined,
  ) {
    super(detail || title)
  }
}

/** Reads a problem from a decoded body. Anything else becomes a problem with its own code. */
export function problemFrom(status: number, body: unknown): ApiProblem {
  const member = (name: string): string | undefined => {
    if (typeof body !== 'object' || body === null) return undefined
    const value = (body as Record<string, unknown>)[name]
    return typeof value === 'string' ? value : undefined
  }
  const retryable = typeof body === 'object' && body !== null && (body as { retryable?: unknown }).retryable === true
  return new ApiProblem(
    status,
    member('code') ?? `http_${status}`,
    member('title') ?? `The gateway answered ${status}`,
    member('detail') ?? (typeof body === 'string' ? body.slice(0, 300) : ''),
    member('field'),
    retryable,
    member('requestId'),
  )
}

export function unreachable(): ApiProblem {
  return new ApiProblem(
    0,
    'gateway_unreachable',
    'The gateway did not answer',
    'The connection failed or closed.',
    undefined,
    true,
    undefined,
  )
}

/** The problem of a streamed answer that ended early. */
export function streamBroken(): ApiProblem {
  return new ApiProblem(
    0,
    'stream_broken',
    'The stream ended early',
    'The rows received so far are shown. The job says why it ended.',
    undefined,
    true,
    undefined,
  )
}

/** Whether somebody changed it since it was read. */
export const isConflict = (error: unknown): boolean => error instanceof ApiProblem && error.status === 412

/** What the user can do, in one sentence. */
export function advice(problem: ApiProblem): string | undefined {
  if (problem.code === 'stream_broken') return 'Check the job, then run it again.'
  if (problem.code === 'starting') return 'Wait for its recovery to end, then try again.'
  if (problem.code === 'namespace_failed') return 'Its page says what to do. Other namespaces work.'
  if (problem.code === 'query_exists') return 'Choose another name, or replace the saved query.'
  if (problem.status === 0) return 'Check that the gateway runs (npm start), then try again.'
  if (problem.code === 'auth_invalid') return 'Check what you typed.'
  if (problem.code === 'password_wrong') return 'Type the password that you sign in with.'
  if (problem.status === 401) return 'Your session has ended. Sign in again.'
  if (problem.status === 403) return 'The server does not allow this; its message says why.'
  if (problem.status === 404) return 'It may have been deleted. Go back to the list.'
  if (problem.status === 409) return 'Choose another name, or wait for the running job to end.'
  if (problem.status === 412) return 'Someone else changed it first. Reload it, then apply your change again.'
  if (problem.status === 413) return 'Make it smaller, or raise the limit of the namespace.'
  if (problem.status === 429 || problem.status === 503 || problem.retryable) return 'Try again in a moment.'
  if (problem.status === 400 || problem.status === 422) {
    return problem.field === undefined
      ? 'Correct the request and try again.'
      : `Correct the field “${problem.field}” and try again.`
  }
  return problem.requestId === undefined ? undefined : `Look for request ${problem.requestId} in the gateway's log.`
}
