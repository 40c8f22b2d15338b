import type { LatencySeries } from '../api/types'

/** The series that a view sums up; an unset member means all. Sides are never mixed, so the side is required. */
export interface SeriesFilter {
  namespace?: string | undefined
  op?: string | undefined
  side: 'engine' | 'gateway'
}

const READS = new Set(['get', 'scan', 'query', 'index-lookup'])
const WRITES = new Set(['put', 'update', 'delete'])

/** `op` may also be the group `reads` or `writes`. */
export function matches(filter: SeriesFilter, series: LatencySeries): boolean {
  if (series.side !== filter.side) return false
  if (filter.namespace !== undefined && series.namespace !== filter.namespace) return false
  if (filter.op === undefined || filter.op === series.op) return true
  return (filter.op === 'reads' && READS.has(series.op)) || (filter.op === 'writes' && WRITES.has(series.op))
}

export function filterKey(filter: SeriesFilter): string {
  return `${filter.namespace ?? '*'}\n${filter.op ?? '*'}\n${filter.side}`
}
