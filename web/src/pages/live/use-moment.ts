import { useEffect } from 'react'
import type { ChartLink } from '../../charts/card/link'
import { columnStart } from '../../live/window'

/** Selects the column of a moment that the address names. */
export function useMoment(link: ChartLink, at: number | undefined, stepMs: number): void {
  useEffect(() => {
    if (at === undefined) return
    const from = columnStart(at, stepMs)
    link.select({ from, to: from + stepMs })
  }, [link, at, stepMs])
}
