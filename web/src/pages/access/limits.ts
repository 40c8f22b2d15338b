import type { CallerLimits } from '../../api/types'
import { t } from '../../language/text'

/** Limits as they are typed: an empty field is unset. */
export type LimitsDraft = Record<keyof CallerLimits, string>

const LEAST: Record<keyof CallerLimits, number> = { requestsPerSecond: 0, burst: 1, requestsAtOnce: 0 }
export const MOST = 1_000_000
const FIELDS = Object.keys(LEAST) as (keyof CallerLimits)[]

export const draftOf = (limits: CallerLimits = {}): LimitsDraft => ({
  requestsPerSecond: String(limits.requestsPerSecond ?? ''),
  burst: String(limits.burst ?? ''),
  requestsAtOnce: String(limits.requestsAtOnce ?? ''),
})

/** What is wrong with a field, if anything is. */
export function faultOf(draft: LimitsDraft, field: keyof CallerLimits): string | undefined {
  const text = draft[field].trim()
  const right = text === '' || (/^\d+$/.test(text) && Number(text) >= LEAST[field] && Number(text) <= MOST)
  return right ? undefined : t('A number from {least} to 1,000,000, or nothing', { least: LEAST[field] })
}

export const areLegal = (draft: LimitsDraft): boolean => FIELDS.every((field) => faultOf(draft, field) === undefined)

/** What the server is asked for. */
export function limitsOf(draft: LimitsDraft): CallerLimits {
  const given = FIELDS.filter((field) => draft[field].trim() !== '')
  return Object.fromEntries(given.map((field) => [field, Number(draft[field])]))
}

export const isSame = (one: CallerLimits, other: CallerLimits = {}): boolean =>
  FIELDS.every((field) => one[field] === other[field])

/** Limits in a few words, such as `100/s, 16 at once`. */
export function limitWords({ requestsPerSecond, burst, requestsAtOnce }: CallerLimits = {}): string {
  const parts = [
    requestsPerSecond !== undefined && (requestsPerSecond === 0 ? t('any rate') : `${requestsPerSecond}/s`),
    burst !== undefined && t('bursts of {burst}', { burst }),
    requestsAtOnce !== undefined &&
      (requestsAtOnce === 0 ? t('any number at once') : t('{requestsAtOnce} at once', { requestsAtOnce })),
  ].filter((part) => part !== false)
  return parts.length === 0 ? t('as configured') : parts.join(', ')
}
