import { ApiProblem } from '../../api/problem'
import type { ImportProgress, Job } from '../../api/types'
import { bytes, count } from '../../format'

/** Uploads that broke off, and those that a stop of the server cut off: the gateway may take their rest. */
export const waitingImports = (jobs: readonly Job[]): Job[] =>
  jobs.filter(
    ({ kind, state, reason, error }) =>
      kind === 'import' &&
      ((state === 'paused' && reason === 'upload broke off') || (state === 'failed' && error?.code === 'closed')),
  )

/** How far an upload came, in words. */
export function arrivedWords({ receivedBytes, totalBytes, storedRows }: ImportProgress): string {
  const arrived = totalBytes === undefined ? bytes(receivedBytes) : `${bytes(receivedBytes)} of ${bytes(totalBytes)}`
  return `${arrived} arrived, ${count(storedRows)} rows stored`
}

/** Why an upload cannot go on from a file; undefined when it can. */
export function restProblem(progress: ImportProgress, file: { size: number } | undefined): string | undefined {
  if (progress.state === 'uploading') return 'The gateway has not noticed yet that it broke off.'
  if (file === undefined) return 'Choose the same file to go on.'
  const { totalBytes, receivedBytes } = progress
  if (totalBytes === undefined ? file.size < receivedBytes : file.size !== totalBytes)
    return `This file has ${bytes(file.size)}, the one that was being sent ${totalBytes === undefined ? 'more' : bytes(totalBytes)}: choose the same file.`
  return undefined
}

/** Why there is nothing to go on with; undefined where the answer may still come. */
export function goneWords(error: unknown): string | undefined {
  if (!(error instanceof ApiProblem) || error.status === 0 || error.retryable) return undefined
  const ended = error.code === 'job_finished' ? 'this import has ended, as its job says' : 'the gateway waits no more'
  return `There is nothing to go on with: ${ended}. Rows that were stored stay; importing the file again writes the same keys.`
}

/** How an upload ended that did not come to its end; `broken`: the rest of the file can be sent; `stopped`: it was given up. */
export type End = 'broken' | 'stopped' | 'failed'

/** Codes of an upload whose rest the gateway waits for. */
const broken: readonly string[] = [
  'gateway_unreachable',
  'closed',
  'body_timeout',
  'body_truncated',
  'import_offset',
  'import_busy',
]

/** A dry run stores nothing, so nothing is waited for. */
export function endOf(error: unknown, dryRun: boolean): End {
  // Broken off by the page itself.
  if (error instanceof DOMException) return dryRun ? 'stopped' : 'broken'
  return !dryRun && error instanceof ApiProblem && broken.includes(error.code) ? 'broken' : 'failed'
}
