import { ApiProblem, streamBroken as broken } from '@tessera/client'
import { t } from '../language/text'
import { TITLES } from './problem-titles'
import { chosen } from '../language/chosen'
import { serverText } from '../language/server-text'

export { ApiProblem, problemFrom, unreachable } from '@tessera/client'

/** The problem of a streamed answer that ended early. */
export const streamBroken = (): ApiProblem =>
  broken(t('The rows received so far are shown. The job says why it ended.'))

/** Whether somebody changed it since it was read. */
export const isConflict = (error: unknown): boolean => error instanceof ApiProblem && error.status === 412

/** What went wrong in the language of the reader, where its code is known. */
export const titleOf = ({ code, title = '' }: { code: string; title?: string }): string =>
  Object.hasOwn(TITLES, code) ? (TITLES[code] ?? title) : title

/** What is wrong with the request, in the language of the reader if the server said it in a way that has one. */
export const detailOf = ({ detail, said }: ApiProblem): string => serverText(detail, said)

/** An error in one sentence. */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error.message : String(error)
  return chosen === 'en' ? error.message : t('{title}: {detail}', { title: titleOf(error), detail: detailOf(error) })
}

/** What the user can do, in one sentence. */
export function advice(problem: ApiProblem): string | undefined {
  if (problem.code === 'stream_broken') return t('Check the job, then run it again.')
  if (problem.code === 'starting') return t('Wait for its recovery to end, then try again.')
  if (problem.code === 'namespace_failed') return t('Its page says what to do. Other namespaces work.')
  if (problem.code === 'query_exists') return t('Choose another name, or replace the saved query.')
  if (problem.status === 0) return t('Check that the gateway runs (npm start), then try again.')
  if (problem.code === 'auth_invalid') return t('Check what you typed.')
  if (problem.code === 'code_required') return t('Type a code of your authenticator app, or a recovery code.')
  if (problem.code === 'code_invalid')
    return t('Wait for the next code of the app, and check the clock of its device. Each code works once.')
  if (problem.code === 'second_factor_not_begun') return t('Begin again: a set-up has to end within 10 minutes.')
  if (problem.code === 'second_factor_required') return t('Sign in again: the sign-in page sets it up.')
  if (problem.code === 'password_wrong') return t('Type the password that you sign in with.')
  if (problem.code === 'sign_in_again') return t('Sign in again, then repeat it.')
  if (problem.status === 401) return t('Your session has ended. Sign in again.')
  if (problem.status === 403) return t('The server does not allow this; its message says why.')
  if (problem.status === 404) return t('It may have been deleted. Go back to the list.')
  if (problem.status === 409) return t('Choose another name, or wait for the running job to end.')
  if (problem.status === 412) return t('Someone else changed it first. Reload it, then apply your change again.')
  if (problem.status === 413) return t('Make it smaller, or raise the limit of the namespace.')
  if (problem.status === 429 || problem.status === 503 || problem.retryable) return t('Try again in a moment.')
  if (problem.status === 400 || problem.status === 422) {
    return problem.field === undefined
      ? t('Correct the request and try again.')
      : t('Correct the field “{field}” and try again.', { field: problem.field })
  }
  return problem.requestId === undefined
    ? undefined
    : t("Look for request {requestId} in the gateway's log.", { requestId: problem.requestId })
}
