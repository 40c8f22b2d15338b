import type { SearchSchemaInput } from '@tanstack/react-router'
import { type FilterSearch, readFilterSearch } from '../../components/jobs/list-filter'
import { textOf } from '../../search'

export interface BenchmarksSearch extends FilterSearch {
  create?: boolean | undefined
}

export interface CompareSearch {
  /** comma-separated run ids; the others are compared with the first */
  ids: string
}

/** Whether there are runs to compare. */
export const canCompare = (ids: string): boolean => ids.includes(',')

export function readBenchmarksSearch(raw: BenchmarksSearch & SearchSchemaInput): BenchmarksSearch {
  return { ...(raw.create === true && { create: true }), ...readFilterSearch(raw) }
}

export function readCompareSearch(raw: Partial<CompareSearch> & SearchSchemaInput): CompareSearch {
  return { ids: textOf(raw.ids) ?? '' }
}
