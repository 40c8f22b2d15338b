import { useEffect, useState } from 'react'

const QUIET_MS = 300

/** A debounced value, so that typing does not send a request per letter. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), QUIET_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
