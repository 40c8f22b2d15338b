import type { Tick } from '../axes'
import { BOTTOM, EDGE_ROW, LEFT, RIGHT, TOP } from '../geometry'
import type { ChartTheme } from '../theme'
import { Raster } from './raster'

/** A scene: the pixels of the plot and its labels. `ratio`: device pixels per CSS pixel. */
export interface Scene {
  colours: ChartTheme
  paint: (raster: Raster, ratio: number) => { time: Tick[]; value: Tick[] }
  /** whether the plot has rows at both ends for values beyond the axis */
  edgeRows?: boolean
}

const FONT_PX = 11
/** Width of a character of that font, which is monospaced. */
const CHARACTER_PX = 6.7
const VALUE_GAP = 8
const TIME_GAP = 6

/** Draws a scene into a canvas while it is visible. A skipped drawing is done when it becomes visible again. */
export class Painter {
  private raster: Raster | undefined
  private image: ImageData | undefined
  private ratio = 1
  private visible = false
  private readonly context: CanvasRenderingContext2D | null
  private readonly sizes: ResizeObserver
  private readonly views: IntersectionObserver

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private scene: Scene,
  ) {
    this.context = canvas.getContext('2d', { alpha: false })
    this.sizes = new ResizeObserver(() => this.resize())
    this.sizes.observe(canvas)
    this.views = new IntersectionObserver(([entry]) => {
      this.visible = entry?.isIntersecting ?? true
      this.draw()
    })
    this.views.observe(canvas)
  }

  show(scene: Scene): void {
    this.scene = scene
    this.draw()
  }

  dispose(): void {
    this.sizes.disconnect()
    this.views.disconnect()
  }

  draw(): void {
    if (!this.visible) return
    if (this.ratio === window.devicePixelRatio) this.paint()
    else this.resize()
  }

  private paint(): void {
    const { raster, image, context, ratio, scene } = this
    if (raster === undefined || image === undefined || context === null) return
    const { time, value } = scene.paint(raster, ratio)
    const [left, top] = [Math.round(LEFT * ratio), Math.round(TOP * ratio)]
    const { width, height } = this.canvas
    context.putImageData(image, left, top)
    context.fillStyle = scene.colours.panel
    context.fillRect(0, 0, width, top)
    context.fillRect(0, top, left, height - top)
    context.fillRect(left, top + raster.height, width - left, height)
    context.fillRect(left + raster.width, top, width, raster.height)
    this.labels(context, raster, time, value)
  }

  /** Also paints charts out of view, so that no chart is ever empty. */
  private resize(): void {
    const ratio = window.devicePixelRatio
    const { clientWidth, clientHeight } = this.canvas
    const width = Math.round((clientWidth - LEFT - RIGHT) * ratio)
    const height = Math.round((clientHeight - TOP - BOTTOM) * ratio)
    this.ratio = ratio
    this.raster = width > 0 && height > 0 ? new Raster(width, height) : undefined
    this.image = this.raster && new ImageData(new Uint8ClampedArray(this.raster.words.buffer), width, height)
    this.canvas.width = Math.round(clientWidth * ratio)
    this.canvas.height = Math.round(clientHeight * ratio)
    this.paint()
  }

  private labels(context: CanvasRenderingContext2D, raster: Raster, time: Tick[], value: Tick[]): void {
    const { ratio, canvas, scene } = this
    const edge = scene.edgeRows === true ? EDGE_ROW * ratio : 0
    context.font = `${FONT_PX * ratio}px ${scene.colours.mono}`
    context.fillStyle = scene.colours.mute
    context.textAlign = 'right'
    context.textBaseline = 'middle'
    for (const { at, text } of value)
      context.fillText(
        text,
        (LEFT - VALUE_GAP) * ratio,
        TOP * ratio + raster.height - edge - at * (raster.height - 2 * edge),
      )
    context.textAlign = 'center'
    context.textBaseline = 'top'
    const top = TOP * ratio + raster.height + TIME_GAP * ratio
    for (const { at, text } of time) {
      const x = LEFT * ratio + at * raster.width
      if (x + (text.length * CHARACTER_PX * ratio) / 2 <= canvas.width) context.fillText(text, x, top)
    }
  }
}
