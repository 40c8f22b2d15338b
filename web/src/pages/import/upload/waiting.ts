import { ApiProblem } from '../../../api/problem'
import type { ImportProgress, Job } from '../../../api/types'
import { bytes, plural } from '../../../format'

/** Uploads that may be resumed: those that broke off, and those interrupted by a stop of the server. */
export const waitingImports = (jobs: readonly Job[]): Job[] =>
  jobs.filter(
    ({ kind, state, reason, error }) =>
      kind === 'import' &&
      ((state === 'paused' && reason === 'upload broke off') || (state === 'failed' && error?.code === 'closed')),
  )

/** The progress of an upload, in words. */
export function arrivedWords({ receivedBytes, totalBytes, storedRows }: ImportProgress): string {
  const arrived = totalBytes === undefined ? bytes(receivedBytes) : `${bytes(receivedBytes)} of ${bytes(totalBytes)}`
  return `${arrived} arrived, ${plural(storedRows, 'row')} stored`
}

/** Why an upload cannot be resumed from a file; undefined if it can. */
export function restProblem(progress: ImportProgress, file: { size: number } | undefined): string | undefined {
  if (progress.state === 'uploading') return 'The gateway has not noticed yet that the upload broke off.'
  if (file === undefined) return 'Choose the same file to resume.'
  const { totalBytes, receivedBytes } = progress
  if (totalBytes === undefined ? file.size < receivedBytes : file.size !== totalBytes)
    return `This file has ${bytes(file.size)}, but the upload has ${totalBytes === undefined ? 'more' : bytes(totalBytes)}. Choose the same file.`
  return undefined
}

/** Why an upload cannot be resumed at all; undefined if a later answer may differ. */
export function goneWords(error: unknown): string | undefined {
  if (!(error instanceof ApiProblem) || error.status === 0 || error.retryable) return undefined
  const ended = error.code === 'job_finished' ? 'the import has ended, see its job' : 'the gateway no longer waits'
  return `The upload cannot be resumed: ${ended}. Stored rows stay. Importing the file again writes the same keys.`
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
