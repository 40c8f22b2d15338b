import { CustomChart, LineChart } from 'echarts/charts'
import { GridComponent } from 'echarts/components'
import { init, setPlatformAPI, use, type ECharts } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { heatPixels } from '../spec/heat'
import { optionOf, partsFor, type ChartOption } from '../spec/option'
import { xScale, yScale } from '../spec/scale'
import type { Drawing } from './protocol'

use([LineChart, CustomChart, GridComponent, CanvasRenderer])

export type AnyCanvas = HTMLCanvasElement | OffscreenCanvas

const newCanvas = (): AnyCanvas =>
  typeof document === 'undefined' ? new OffscreenCanvas(32, 32) : document.createElement('canvas')

/** A worker has no document that could make a canvas to measure texts with. */
if (typeof document === 'undefined') setPlatformAPI({ createCanvas: () => newCanvas() as HTMLCanvasElement })

/** Owns the ECharts instance of one canvas. It runs wherever the canvas is. */
export class Painter {
  #chart: ECharts | undefined
  #ratio = 0
  #size = ''
  #series = ''
  #heatmap: AnyCanvas | undefined

  constructor(private readonly canvas: AnyCanvas) {}

  /** Draws at once, so that the pixels are there when it returns. */
  draw(drawing: Drawing): void {
    const { spec, theme, view, width, height, ratio } = drawing
    const chart = this.#sized(width, height, ratio)
    const option = optionOf(spec, theme, view, { width, height }, (across, down) => this.#heat(drawing, across, down))
    const series = idsOf(option)
    // Without another series ECharts changes what differs. It would keep series that are gone.
    chart.setOption(option, { notMerge: series !== this.#series })
    this.#series = series
  }

  dispose(): void {
    this.#chart?.dispose()
    this.#chart = undefined
  }

  /** The heatmap of a drawing, pixel by pixel on a canvas of its own. */
  #heat({ spec, view, height, ratio }: Drawing, across: number, down: number): HTMLCanvasElement {
    const heat = (this.#heatmap ??= newCanvas())
    const [width, high] = [Math.round(across * ratio), Math.round(down * ratio)]
    if (heat.width !== width || heat.height !== high) {
      heat.width = width
      heat.height = high
    }
    if (spec.heat !== undefined && width > 0 && high > 0) {
      const [x, y] = [xScale(spec.x, view.zoom), yScale(spec, view, partsFor(height))]
      const words = heatPixels(spec.heat, spec.x, { x, y, width, height: high, ratio })
      const image = new ImageData(new Uint8ClampedArray(words.buffer as ArrayBuffer), width, high)
      const context = heat.getContext('2d') as CanvasRenderingContext2D | null
      context?.putImageData(image, 0, 0)
    }
    return heat as HTMLCanvasElement
  }

  #sized(width: number, height: number, ratio: number): ECharts {
    const size = `${width} ${height}`
    if (this.#chart === undefined || ratio !== this.#ratio) {
      this.dispose()
      this.#series = ''
      this.#chart = init(this.canvas as HTMLCanvasElement, null, { width, height, devicePixelRatio: ratio })
    } else if (size !== this.#size) this.#chart.resize({ width, height })
    this.#ratio = ratio
    this.#size = size
    return this.#chart
  }
}

function idsOf({ series = [] }: ChartOption): string {
  return [series]
    .flat()
    .map(({ id }) => id)
    .join('\n')
}
