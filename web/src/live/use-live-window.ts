import { useEffect, useMemo, useRef, useState } from 'react'
import { fetchHistory } from '../api/history'
import { FrameBuffer } from './buffer'
import { connection } from './connection'
import type { Frame } from './frame'
import { columnStart } from './window'

interface Params {
  windowMs: number
  stepMs: number
  paused?: boolean
}

interface LiveWindow {
  buffer: FrameBuffer
  /** end of the newest column that is shown; stands still while paused */
  endMs: number
  loaded: boolean
  error: unknown
}

/** Twice the window (the second half is what changes are measured against), back-filled and then kept live. */
export function useLiveWindow({ windowMs, stepMs, paused = false }: Params): LiveWindow {
  const buffer = useMemo(() => new FrameBuffer(stepMs, windowMs * 2 + stepMs), [windowMs, stepMs])
  const [, redraw] = useState(0)
  const [filled, setFilled] = useState<FrameBuffer>()
  const [error, setError] = useState<unknown>()
  const shown = useRef({ buffer, endMs: 0 })

  useEffect(() => {
    let left = false
    let waiting: Frame[] | undefined = []
    let lastSeq: number | undefined
    const draw = (): void => {
      if (!document.hidden) redraw((count) => count + 1)
    }
    const fill = async (fromMs: number): Promise<void> => {
      waiting ??= []
      try {
        const frames = await fetchHistory({ fromMs, toMs: nowMs(), stepSeconds: stepMs / 1000 })
        for (const frame of frames) buffer.add(frame)
        setError(undefined)
      } catch (reason) {
        if (left) return
        setError(reason)
      }
      for (const frame of waiting) buffer.add(frame)
      waiting = undefined
      setFilled(buffer)
      draw()
    }
    const stop = connection.onFrame((frame) => {
      const missed = lastSeq !== undefined && frame.seq > lastSeq + 1
      lastSeq = frame.seq
      if (waiting !== undefined) waiting.push(frame)
      else if (missed) {
        waiting = [frame]
        void fill(buffer.newestMs)
      } else if (buffer.add(frame)) draw()
    })
    document.addEventListener('visibilitychange', draw)
    void fill(nowMs() - windowMs * 2)
    return () => {
      left = true
      stop()
      document.removeEventListener('visibilitychange', draw)
    }
  }, [buffer, windowMs, stepMs])

  // A frame ends at a whole second or a little later: half a second is taken off before rounding.
  const live = columnStart((buffer.newestMs || nowMs()) - 500, stepMs) + stepMs
  if (!paused || shown.current.buffer !== buffer || shown.current.endMs === 0) shown.current = { buffer, endMs: live }
  return { buffer, endMs: shown.current.endMs, loaded: filled === buffer, error }
}

/** The engine's clock where a frame has told it: the browser's may be wrong. */
function nowMs(): number {
  return connection.latest?.timeMs ?? Date.now()
}
