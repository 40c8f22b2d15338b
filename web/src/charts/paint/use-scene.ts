import { useEffect, useRef, type RefObject } from 'react'
import { Painter, type Scene } from './painter'

/** Redraws a canvas for each new scene, and whenever `subscribe` calls its listener. */
export function useScene(
  scene: Scene,
  subscribe: (listener: () => void) => () => void,
): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null)
  const painter = useRef<Painter | undefined>(undefined)
  const first = useRef(scene)

  useEffect(() => {
    if (canvas.current === null) return
    const made = new Painter(canvas.current, first.current)
    painter.current = made
    return () => {
      painter.current = undefined
      made.dispose()
    }
  }, [])

  // After the effect above, so that a new painter also gets the scene.
  useEffect(() => {
    painter.current?.show(scene)
    return subscribe(() => painter.current?.draw())
  }, [scene, subscribe])

  return canvas
}
