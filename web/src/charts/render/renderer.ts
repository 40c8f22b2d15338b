import { createContext } from 'react'
import { pageRenderer } from './in-page'
import { canUseWorker, workerRenderer } from './in-worker'
import type { Drawing, Renderer } from './protocol'

/** Puts a canvas into an element, and gives what draws it. */
export type OpenRenderer = (host: HTMLElement) => Renderer

/** Draws in the worker. If the worker cannot run, another canvas takes the place, and the page draws. */
export function openRenderer(host: HTMLElement): Renderer {
  let newest: Drawing | undefined
  let inner: Renderer
  const inPage = (): Renderer => pageRenderer(canvasIn(host))
  const fallBack = (): void => {
    inner = inPage()
    if (newest !== undefined) inner.draw(newest)
  }
  inner = canUseWorker() ? workerRenderer(canvasIn(host), fallBack) : inPage()
  return {
    draw: (drawing) => {
      newest = drawing
      inner.draw(drawing)
    },
    save: (drawing, title) => inner.save(drawing, title),
    close: () => {
      inner.close()
      host.replaceChildren()
    },
  }
}

/** A canvas gives itself to a worker only once, so each renderer has a new one. */
function canvasIn(host: HTMLElement): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.className = 'chart'
  canvas.setAttribute('aria-hidden', 'true')
  host.replaceChildren(canvas)
  return canvas
}

export const RendererContext = createContext<OpenRenderer>(openRenderer)
