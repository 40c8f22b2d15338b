import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { fetchRunLatency, fetchSteps } from '../api/history'
import type { Range } from '../charts/spec/spec'
import type { Column } from './buffer'
import { LATE_MS } from './feed'
import { filterKey, matches, type SeriesFilter } from './filter'
import { addSeries, emptyTotals } from './latency/totals'
import { isGroup, runColumns } from './run-columns'

/** Steps in which the engine keeps the past, or sums of them. */
const STEPS = [10_800, 3600, 600, 60, 15, 5, 1]
/** A span is read in at least so many columns, if it is long enough: how much they differ says how sure its figures are. */
const LEAST_COLUMNS = 60

/**
 * The columns of any span of the last 30 days. Those of a run are of its own histograms if it has them, or else of what the
 * engine measured meanwhile.
 */
export const spanQuery = (range: Range, filter: SeriesFilter, run?: string) =>
  queryOptions({
    queryKey: ['metrics', 'history', range.from, range.to, filterKey(filter), run ?? ''],
    queryFn: async () => {
      const columns = run === undefined ? [] : await fetchRunColumns(run, filter)
      return columns.length > 0 ? columns : fetchColumns(range, filter)
    },
    staleTime: Infinity,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  })

const fetchRunColumns = async (run: string, { op }: SeriesFilter): Promise<Column[]> =>
  isGroup(op) ? runColumns(await fetchRunLatency(run), op) : []

async function fetchColumns({ from, to }: Range, filter: SeriesFilter): Promise<Column[]> {
  const stepSeconds = STEPS.find((step) => to - from >= LEAST_COLUMNS * step * 1000) ?? 1
  const { frames } = await fetchSteps({
    fromMs: from + LATE_MS - 1,
    toMs: to + LATE_MS - 1,
    stepSeconds,
    namespace: filter.namespace,
  })
  return frames.map(({ timeMs, durationMs, latency }) => {
    const totals = emptyTotals()
    for (const series of latency) if (matches(filter, series)) addSeries(totals, series)
    return { start: timeMs - durationMs, durationMs, totals }
  })
}
