import { isExactObject, LosslessNumber } from '../../records/json'
import {
  compactRequest,
  fitsAddress,
  memberText,
  prettyRequest,
  readRequest,
  type Request,
} from '../../records/request/request'
import { limitOf, setOf } from '../../records/request/request-fields'
import { readSteps } from '../../records/request/steps'
import { t } from '../../language/text'
import { boundsWords, isWithin, THREADS } from '../../ui/number'

/** All records, unchanged. */
export const emptyStream = prettyRequest('{"steps":[]}')

/** The address parameter of a request's text; unset if it is empty or too long. */
export function addressOf(text: string): string | undefined {
  const compact = compactRequest(text)
  return compact === compactRequest(emptyStream) || !fitsAddress(compact) ? undefined : compact
}

const shown: Readonly<Record<string, (text: string) => unknown>> = {
  set: setOf,
  threads: limitOf,
  // 0 means no throttle, like an empty field.
  recordsPerSecond: (text) => (text === '0' ? text : limitOf(text)),
  steps: readSteps,
}

/** Members that only the JSON shows. */
export const keptMembers = (request: Request): string[] =>
  Object.keys(request).filter((name) => {
    const read = Object.hasOwn(shown, name) ? shown[name] : undefined
    return read?.(memberText(request, name)) === undefined
  })

/** The problem of `threads`; undefined if there is none, or if it is unset. */
export function threadsProblem(request: Request): string | undefined {
  const { threads } = request
  return threads === undefined || (threads instanceof LosslessNumber && isWithin(threads.value, THREADS))
    ? undefined
    : boundsWords(THREADS)
}

/** Why a request's text cannot be sent; undefined if it can. */
export function requestProblem(text: string): string | undefined {
  const request = readRequest(text)
  if (request === undefined) return t('Enter a valid JSON object.')
  const problem = threadsProblem(request)
  return problem === undefined ? undefined : `threads: ${problem}`
}

/** Whether an index could reduce the records read. */
export function beginsWithFilter(request: Request | undefined): boolean {
  const { steps } = request ?? {}
  const first = Array.isArray(steps) ? steps[0] : undefined
  return isExactObject(first) && 'filter' in first
}
