import type { ListFilter } from '../../api/queries'
import type { Job } from '../../api/types'
import { textOf, timeOf } from '../../search'
import { t } from '../../language/text'

/** What the address says of a list of jobs or runs. */
export interface FilterSearch {
  state?: string | undefined
  /** one of `spans`, or `FREE` */
  since?: string | undefined
  /** of a free time, Unix milliseconds: created from then on, and before the other */
  from?: number | undefined
  to?: number | undefined
}

/** A time that the reader enters. */
export const FREE = 'free'

/** States in which a job or a run has ended. */
export const endStates: readonly Job['state'][] = ['done', 'failed', 'aborted']

const HOUR = 3600
export const spans: Readonly<Record<string, { label: string; seconds: number }>> = {
  '1h': { label: t('last hour'), seconds: HOUR },
  '1d': { label: t('last day'), seconds: 24 * HOUR },
  '7d': { label: t('last 7 days'), seconds: 7 * 24 * HOUR },
  '30d': { label: t('last 30 days'), seconds: 30 * 24 * HOUR },
}

/** Reads them from an address; what is none of ours is left out. */
export function readFilterSearch(raw: { [part in keyof FilterSearch]: unknown }): FilterSearch {
  const [ofState, ofTime] = [textOf(raw.state), textOf(raw.since)]
  const isFree = ofTime === FREE
  return {
    state: endStates.some((known) => known === ofState) ? ofState : undefined,
    since: isFree || (ofTime !== undefined && Object.hasOwn(spans, ofTime)) ? ofTime : undefined,
    from: isFree ? timeOf(raw.from) : undefined,
    to: isFree ? timeOf(raw.to) : undefined,
  }
}

export const filterOf = ({ state, since, from, to }: FilterSearch): ListFilter => ({
  state,
  fromMs: from,
  toMs: to,
  sinceSeconds: since === undefined ? undefined : spans[since]?.seconds,
})
