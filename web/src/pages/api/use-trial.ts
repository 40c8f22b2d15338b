import { useCallback, useEffect, useRef, useState } from 'react'
import type { Asked } from './asked'
import { type Received, sendAsked } from './received'

export interface Trial {
  running: boolean
  received: Received | undefined
  error: unknown
  send: (asked: Asked) => void
  stop: () => void
}

/** One call at a time. Leaving the operation stops it. */
export function useTrial(): Trial {
  const own = useRef<AbortController>(undefined)
  const [running, setRunning] = useState(false)
  const [received, setReceived] = useState<Received>()
  const [error, setError] = useState<unknown>(null)
  const stop = useCallback(() => own.current?.abort(), [])
  useEffect(() => stop, [stop])
  const send = (asked: Asked): void => {
    stop()
    const mine = new AbortController()
    own.current = mine
    setRunning(true)
    setReceived(undefined)
    setError(null)
    void sendAsked(asked, mine.signal, (now) => {
      if (own.current === mine) setReceived(now)
    })
      .catch((failure: unknown) => {
        if (own.current === mine && !mine.signal.aborted) setError(failure)
      })
      .finally(() => {
        if (own.current === mine) setRunning(false)
      })
  }
  return { running, received, error, send, stop }
}
