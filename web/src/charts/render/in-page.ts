import type { Painter } from './painter'
import type { Drawing, Renderer } from './protocol'

const newCanvas = (): HTMLCanvasElement => document.createElement('canvas')

/** Draws a canvas in the page, where a browser cannot do so in a worker. */
export function pageRenderer(canvas: HTMLCanvasElement): Renderer {
  let painter: Painter | undefined
  let isClosed = false
  let newest: Drawing | undefined
  void load()

  async function load(): Promise<void> {
    const { Painter } = await import('./painter')
    if (isClosed) return
    painter = new Painter(canvas)
    if (newest !== undefined) painter.draw(newest)
  }
  return {
    draw: (drawing) => {
      newest = drawing
      painter?.draw(drawing)
    },
    save: async (drawing, title) => (await import('./picture')).pictureOf(drawing, title, newCanvas),
    close: () => {
      isClosed = true
      painter?.dispose()
    },
  }
}
