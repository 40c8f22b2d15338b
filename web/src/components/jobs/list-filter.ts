import type { ListFilter } from '../../api/queries'
import type { Job } from '../../api/types'
import { textOf } from '../../search'

/** What the address says of a list of jobs or runs. */
export interface FilterSearch {
  state?: string | undefined
  since?: string | undefined
}

/** States in which a job or a run has ended. */
export const endStates: readonly Job['state'][] = ['done', 'failed', 'aborted']

const HOUR = 3600
export const spans: Readonly<Record<string, { label: string; seconds: number }>> = {
  '1h': { label: 'last hour', seconds: HOUR },
  '1d': { label: 'last day', seconds: 24 * HOUR },
  '7d': { label: 'last 7 days', seconds: 7 * 24 * HOUR },
  '30d': { label: 'last 30 days', seconds: 30 * 24 * HOUR },
}

/** Reads both from an address; what is none of ours is left out. */
export function readFilterSearch({ state, since }: { state?: unknown; since?: unknown }): FilterSearch {
  const [ofState, ofTime] = [textOf(state), textOf(since)]
  return {
    state: endStates.some((known) => known === ofState) ? ofState : undefined,
    since: ofTime !== undefined && Object.hasOwn(spans, ofTime) ? ofTime : undefined,
  }
}

export const filterOf = ({ state, since }: FilterSearch): ListFilter => ({
  state,
  sinceSeconds: since === undefined ? undefined : spans[since]?.seconds,
})
