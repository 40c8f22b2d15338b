import type { Painter } from './painter'
import { markDrawn, type Drawing, type Renderer } from './protocol'

const newCanvas = (): HTMLCanvasElement => document.createElement('canvas')

/** Draws a canvas in the page, where a browser cannot do so in a worker. */
export function pageRenderer(canvas: HTMLCanvasElement): Renderer {
  let painter: Painter | undefined
  let isClosed = false
  let newest: Drawing | undefined
  void load()

  function paint(drawing: Drawing): void {
    if (painter === undefined) return
    painter.draw(drawing)
    markDrawn(canvas, drawing)
  }

  async function load(): Promise<void> {
    const { Painter } = await import('./painter')
    if (isClosed) return
    painter = new Painter(canvas)
    if (newest !== undefined) paint(newest)
  }
  return {
    draw: (drawing) => {
      newest = drawing
      paint(drawing)
    },
    save: async (drawing, title) => (await import('./picture')).pictureOf(drawing, title, newCanvas),
    close: () => {
      isClosed = true
      painter?.dispose()
    },
  }
}
