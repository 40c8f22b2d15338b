import { useState } from 'react'
import type { PagesReport } from '../../../api/types'
import { withReport, type Sample } from './history'

interface Kept {
  newest?: PagesReport
  samples: readonly Sample[]
}

/** The reports since the page was opened. */
export function useHistory(report: PagesReport | undefined): readonly Sample[] {
  const [kept, setKept] = useState<Kept>({ samples: [] })
  // Update during render, so that no frame shows a report without its sample.
  if (report !== undefined && kept.newest !== report)
    setKept({ newest: report, samples: withReport(kept.samples, report) })
  return kept.samples
}
