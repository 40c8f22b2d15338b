import { isPaper } from '../paper'
import type { Drawing, Renderer } from '../render/protocol'

type Content = Pick<Drawing, 'spec' | 'theme' | 'view'>

/** Draws what an element should show while it is visible or printed. A skipped drawing is made when it becomes visible again. */
export class Stage {
  #size = { width: 0, height: 0 }
  #isVisible = false
  readonly #sizes: ResizeObserver
  readonly #views: IntersectionObserver

  constructor(
    host: HTMLElement,
    private readonly renderer: Renderer,
    private readonly content: () => Content,
  ) {
    this.#sizes = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {}
      this.#size = { width: Math.floor(width), height: Math.floor(height) }
      // Also out of view, so that no chart is ever empty, on paper for example.
      if (!document.hidden) this.#drawNow()
    })
    this.#sizes.observe(host)
    this.#views = new IntersectionObserver(([entry]) => {
      this.#isVisible = entry?.isIntersecting ?? true
      this.draw()
    })
    this.#views.observe(host)
    document.addEventListener('visibilitychange', this.draw)
  }

  readonly draw = (): void => {
    if (isPaper() || (this.#isVisible && !document.hidden)) this.#drawNow()
  }

  #drawNow(): void {
    const drawing = this.drawing
    if (drawing !== undefined) this.renderer.draw(drawing)
  }

  /** What is drawn now; unset before the size is known. */
  get drawing(): Drawing | undefined {
    const { width, height } = this.#size
    if (width <= 0 || height <= 0) return undefined
    return { ...this.content(), width, height, ratio: window.devicePixelRatio }
  }

  close(): void {
    this.#sizes.disconnect()
    this.#views.disconnect()
    document.removeEventListener('visibilitychange', this.draw)
    this.renderer.close()
  }
}
