import { isExactObject, LosslessNumber } from '../../records/json'
import {
  compactRequest,
  fitsAddress,
  memberText,
  prettyRequest,
  readRequest,
  type Request,
} from '../../records/request'
import { limitOf, setOf } from '../../records/request-fields'
import { readSteps } from '../../records/steps'
import { isThreads } from '../scans/scan-form'

/** Every record as it is. */
export const emptyStream = prettyRequest('{"steps":[]}')

/** What the address carries of a request's text; nothing of the empty one, and of one that is too long. */
export function addressOf(text: string): string | undefined {
  const compact = compactRequest(text)
  return compact === compactRequest(emptyStream) || !fitsAddress(compact) ? undefined : compact
}

const shown: Readonly<Record<string, (text: string) => unknown>> = {
  set: setOf,
  threads: limitOf,
  // 0 is no throttle, as nothing is.
  recordsPerSecond: (text) => (text === '0' ? text : limitOf(text)),
  steps: readSteps,
}

/** Members that only the JSON shows. */
export const keptMembers = (request: Request): string[] =>
  Object.keys(request).filter((name) => {
    const read = Object.hasOwn(shown, name) ? shown[name] : undefined
    return read?.(memberText(request, name)) === undefined
  })

/** What is wrong with the threads; undefined where nothing is, and where none are said. */
export function threadsProblem(request: Request): string | undefined {
  const { threads } = request
  return threads === undefined || (threads instanceof LosslessNumber && isThreads(threads.value))
    ? undefined
    : '1 to 128'
}

/** Why a request's text cannot be sent; undefined when it can. */
export function requestProblem(text: string): string | undefined {
  const request = readRequest(text)
  if (request === undefined) return 'The request is not JSON yet.'
  const problem = threadsProblem(request)
  return problem === undefined ? undefined : `threads: ${problem}`
}

/** Whether an index could find fewer records for it. */
export function beginsWithFilter(request: Request | undefined): boolean {
  const { steps } = request ?? {}
  const first = Array.isArray(steps) ? steps[0] : undefined
  return isExactObject(first) && 'filter' in first
}
