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

/** Reads a problem from a decoded body; anything else becomes one with a code of its own. */
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
    'The connection failed or was closed.',
    undefined,
    true,
    undefined,
  )
}

/** A streamed answer that ended before its end. */
export function streamBroken(): ApiProblem {
  return new ApiProblem(
    0,
    'stream_broken',
    'The stream broke off',
    'What came before is shown; the job says why it ended.',
    undefined,
    true,
    undefined,
  )
}

/** What a person can do about it, in one sentence. */
export function advice(problem: ApiProblem): string | undefined {
  if (problem.code === 'stream_broken') return 'Look at the job, then run it again.'
  if (problem.code === 'starting') return 'Its device is being read; try again when the recovery is done.'
  if (problem.code === 'namespace_failed') return 'Its page says what to do; the other namespaces are served.'
  if (problem.status === 0) return 'Check that the gateway still runs (npm start), then try again.'
  if (problem.status === 401) return 'Sign in again: your session has ended.'
  if (problem.status === 403) return 'Your token may not do this; use one with the right role.'
  if (problem.status === 404) return 'It may have been dropped meanwhile; go back to the list.'
  if (problem.status === 409)
    return 'Something with this name or state is already there; choose another or wait for the running job.'
  if (problem.status === 412)
    return 'Someone else changed it first: reload, look at the new version, then apply your change again.'
  if (problem.status === 413) return 'Make it smaller, or raise the limit of the namespace.'
  if (problem.status === 429 || problem.status === 503 || problem.retryable)
    return 'This passes: try again in a moment.'
  if (problem.status === 400 || problem.status === 422) {
    return problem.field === undefined
      ? 'Correct the request and try again.'
      : `Correct the field “${problem.field}” and try again.`
  }
  return problem.requestId === undefined ? undefined : `Look for request ${problem.requestId} in the gateway's log.`
}
