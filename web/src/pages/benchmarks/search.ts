import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../search'

export interface BenchmarksSearch {
  create?: boolean | undefined
}

export interface CompareSearch {
  /** run ids with commas between; the first is what the others are compared with */
  ids: string
}

export function readBenchmarksSearch(raw: BenchmarksSearch & SearchSchemaInput): BenchmarksSearch {
  return raw.create === true ? { create: true } : {}
}

export function readCompareSearch(raw: Partial<CompareSearch> & SearchSchemaInput): CompareSearch {
  return { ids: textOf(raw.ids) ?? '' }
}
