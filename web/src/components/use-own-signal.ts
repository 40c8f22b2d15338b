import { useCallback, useEffect, useRef } from 'react'

/** A signal that aborts a call when its component unmounts or makes the next call. */
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
