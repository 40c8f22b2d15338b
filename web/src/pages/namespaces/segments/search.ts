import type { SearchSchemaInput } from '@tanstack/react-router'

export interface SegmentsSearch {
  /** the segment whose records are shown */
  segment?: number | undefined
}

export function readSegmentsSearch(raw: SegmentsSearch & SearchSchemaInput): SegmentsSearch {
  return { segment: segmentOf(raw.segment) }
}

/** A number of a segment in the URL's search part; absent where it is none. */
export function segmentOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined
}
