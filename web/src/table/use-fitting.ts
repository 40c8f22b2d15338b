import { useEffect, useRef, useState } from 'react'

/** How many of the columns that may leave have no room in the frame. */
export function useFitting(frame: HTMLElement | null, leaving: number): number {
  const [out, setOut] = useState(0)
  /** the width that the table needed with so many columns out */
  const needed = useRef<number[]>([])
  useEffect(() => {
    const table = frame?.firstElementChild
    if (!frame || !table || leaving === 0) return
    // Each answer changes the width of the table or begins the observation anew, so it is asked again until all fits.
    const observer = new ResizeObserver(() => {
      if (out < leaving && frame.scrollWidth > frame.clientWidth + 1) {
        needed.current[out] = frame.scrollWidth
        setOut(out + 1)
      } else if (out > 0 && frame.clientWidth >= (needed.current[out - 1] ?? 0)) setOut(out - 1)
    })
    observer.observe(frame)
    observer.observe(table)
    return () => observer.disconnect()
  }, [frame, leaving, out])
  return Math.min(out, leaving)
}
