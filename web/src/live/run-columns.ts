import type { WorkloadLatency } from '../api/types'
import type { Column } from './buffer'
import { addCounts, emptyTotals } from './latency/totals'

/** What of a run: the groups that it counts. */
type Group = 'reads' | 'writes'

/** The steps of a run as columns, from its beginning on. */
export function runColumns({ items }: WorkloadLatency, group?: Group): Column[] {
  return items.map(({ atSeconds, seconds, read, write }) => {
    const totals = emptyTotals()
    if (group !== 'writes') addCounts(totals, read)
    if (group !== 'reads') addCounts(totals, write)
    return { start: (atSeconds - seconds) * 1000, durationMs: seconds * 1000, totals }
  })
}

/** Whether the histograms of a run tell operations like this apart. */
export const isGroup = (op: string | undefined): op is Group | undefined =>
  op === undefined || op === 'reads' || op === 'writes'
