import type { LatencySeries } from '../api/types'

/** The series that a view sums up; an unset member means all. Sides are never mixed, so the side is required. */
export interface SeriesFilter {
  namespace?: string | undefined
  op?: string | undefined
  side: 'engine' | 'gateway'
}

/** What a filter can choose: the groups first. */
export const OPERATIONS = [
  'reads',
  'writes',
  'get',
  'put',
  'update',
  'delete',
  'batch',
  'scan',
  'query',
  'index-lookup',
] as const

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  reads: ['get', 'scan', 'query', 'index-lookup'],
  writes: ['put', 'update', 'delete'],
}

/** The operations of a group, or the one that is named. Unset: all. */
export const operationsOf = (wanted: string | undefined): readonly string[] | undefined =>
  wanted === undefined ? undefined : (GROUPS[wanted] ?? [wanted])

/** Whether an operation is one of `wanted`, which may also be the group `reads` or `writes`. */
export function isAmong(wanted: string | undefined, op: string): boolean {
  return operationsOf(wanted)?.includes(op) ?? true
}

export function matches(filter: SeriesFilter, series: LatencySeries): boolean {
  if (series.side !== filter.side) return false
  if (filter.namespace !== undefined && series.namespace !== filter.namespace) return false
  return isAmong(filter.op, series.op)
}

export function filterKey(filter: SeriesFilter): string {
  return `${filter.namespace ?? '*'}\n${filter.op ?? '*'}\n${filter.side}`
}
