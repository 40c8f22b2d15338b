// What happy-dom lacks of a page that paints: sizes, and canvases.
import { onTestFinished, vi } from 'vitest'

const context = { fillRect: () => undefined, strokeRect: () => undefined }

/** Elements have this size, and canvases paint nothing, until the test ends. */
export function sized(width: number, height: number): void {
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context as never)
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(readonly told: (entries: { contentRect: { width: number; height: number } }[]) => void) {}
      observe(): void {
        this.told([{ contentRect: { width, height } }])
      }
      disconnect(): void {}
    },
  )
  onTestFinished(() => {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })
}
