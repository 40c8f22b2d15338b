import { ApiProblem } from '../../../api/problem'
import type { ImportProgress, Job } from '../../../api/types'
import { bytes } from '../../../format'
import { t } from '../../../language/text'

/** Uploads that may be resumed: those that broke off, and those interrupted by a stop of the server. */
export const waitingImports = (jobs: readonly Job[]): Job[] =>
  jobs.filter(
    ({ kind, state, reason, error }) =>
      kind === 'import' &&
      ((state === 'paused' && reason === 'upload broke off') || (state === 'failed' && error?.code === 'closed')),
  )

/** The progress of an upload, in words. */
export function arrivedWords({ receivedBytes, totalBytes, storedRows }: ImportProgress): string {
  const arrived =
    totalBytes === undefined
      ? bytes(receivedBytes)
      : t('{receivedBytes} of {totalBytes}', { receivedBytes: bytes(receivedBytes), totalBytes: bytes(totalBytes) })
  return t('{arrived} arrived, {storedRows, plural, one {# row} other {# rows}} stored', { arrived, storedRows })
}

/** Why an upload cannot be resumed from a file; undefined if it can. */
export function restProblem(progress: ImportProgress, file: { size: number } | undefined): string | undefined {
  if (progress.state === 'uploading') return t('The gateway has not noticed yet that the upload broke off.')
  if (file === undefined) return t('Choose the same file to resume.')
  const { totalBytes, receivedBytes } = progress
  if (totalBytes === undefined ? file.size < receivedBytes : file.size !== totalBytes)
    return t('This file has {size}, but the upload has {totalBytes}. Choose the same file.', {
      size: bytes(file.size),
      totalBytes: totalBytes === undefined ? 'more' : bytes(totalBytes),
    })
  return undefined
}

/** Why an upload cannot be resumed at all; undefined if a later answer may differ. */
export function goneWords(error: unknown): string | undefined {
  if (!(error instanceof ApiProblem) || error.status === 0 || error.retryable) return undefined
  const ended =
    error.code === 'job_finished' ? t('the import has ended, see its job') : t('the gateway no longer waits')
  return t('The upload cannot be resumed: {ended}. Stored rows stay. Importing the file again writes the same keys.', {
    ended,
  })
}

/** How an incomplete upload ended. `broken`: the rest of the file can be sent. `stopped`: it was given up. */
export type End = 'broken' | 'stopped' | 'failed'

/** Error codes after which the gateway waits for the rest. */
const broken: readonly string[] = [
  'gateway_unreachable',
  'closed',
  'body_timeout',
  'body_truncated',
  'import_offset',
  'import_busy',
]

/** A dry run stores nothing, so the gateway does not wait for its rest. */
export function endOf(error: unknown, dryRun: boolean): End {
  // The page itself paused the upload.
  if (error instanceof DOMException) return dryRun ? 'stopped' : 'broken'
  return !dryRun && error instanceof ApiProblem && broken.includes(error.code) ? 'broken' : 'failed'
}
