import { useMemo, useState } from 'react'
import type { TimeRange } from './geometry'

/** The crosshair and the brushed span that all panes of a page share. */
export interface Cursor {
  at: number | undefined
  pointing: boolean
  selection: TimeRange | undefined
  hover: (time: number | undefined) => void
  select: (range: TimeRange | undefined) => void
}

export function useCursor(): Cursor {
  const [at, setAt] = useState<number>()
  const [selection, select] = useState<TimeRange>()
  return useMemo(() => ({ at, pointing: at !== undefined, selection, hover: setAt, select }), [at, selection])
}
