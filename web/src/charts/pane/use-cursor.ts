import { useMemo, useState } from 'react'
import type { TimeRange } from '../geometry'

/** The crosshair and the selected span, shared by all panes of a page. */
export interface Cursor {
  at: number | undefined
  /** the pane under the pointer: only it shows what is under the crosshair */
  owner: string | undefined
  selection: TimeRange | undefined
  hover: (time: number | undefined, owner?: string) => void
  select: (range: TimeRange | undefined) => void
}

export function useCursor(): Cursor {
  const [{ at, owner }, setAt] = useState<{ at?: number | undefined; owner?: string | undefined }>({})
  const [selection, select] = useState<TimeRange>()
  return useMemo(
    () => ({ at, owner, selection, hover: (time, by) => setAt({ at: time, owner: by }), select }),
    [at, owner, selection],
  )
}
