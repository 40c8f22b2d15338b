import { useState } from 'react'
import type { PageKindUse, PagesReport } from '../../../api/types'

/** Hits divided by reads; NaN without reads. */
export function hitRatio(hits: number, misses: number): number {
  return hits / (hits + misses)
}

/** Page reads of a kind since `before`. */
export function readsSince({ kind, hits, misses }: PageKindUse, before: PagesReport): { hits: number; misses: number } {
  const then = before.cache.kinds.find((one) => one.kind === kind)
  return { hits: hits - (then?.hits ?? 0), misses: misses - (then?.misses ?? 0) }
}

/** Whether counters go on from one report to the next: they begin anew if the namespace is opened anew. */
export const goesOn = (before: PagesReport | undefined, { log }: PagesReport): boolean =>
  before !== undefined && before.log.end <= log.end

/** The report before this one; undefined at first, and after the namespace was opened anew. */
export function useReportBefore(report: PagesReport | undefined): PagesReport | undefined {
  const [{ newest, before }, setKept] = useState<{ newest?: PagesReport; before?: PagesReport }>({})
  // Update during render, so that no frame shows a report with the one before its last.
  if (report !== undefined && newest !== report)
    setKept({ newest: report, ...(newest !== undefined && goesOn(newest, report) && { before: newest }) })
  return before
}
