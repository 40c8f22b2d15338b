import { useCallback, useEffect, useRef } from 'react'

/** For a call that ends with the component that made it, and with the next. */
export function useOwnSignal(): { begin: () => AbortSignal; stop: () => void } {
  const controller = useRef<AbortController | undefined>(undefined)
  const stop = useCallback(() => controller.current?.abort(), [])
  const begin = useCallback(() => {
    controller.current?.abort()
    controller.current = new AbortController()
    return controller.current.signal
  }, [])
  useEffect(() => stop, [stop])
  return { begin, stop }
}
