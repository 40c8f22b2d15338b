import { useEffect, useState } from 'react'

const QUIET_MS = 300

/** A value once it has not changed for a moment, so that typing does not ask the gateway a letter at a time. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), QUIET_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
