import { ApiProblem, streamBroken as broken } from '@tessera/client'

export { ApiProblem, problemFrom, unreachable } from '@tessera/client'

/** The problem of a streamed answer that ended early. */
export const streamBroken = (): ApiProblem => broken('The rows received so far are shown. The job says why it ended.')

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
