import { CustomChart, LineChart } from 'echarts/charts'
import { GridComponent } from 'echarts/components'
import { init, setPlatformAPI, use, type ECharts } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { optionOf, type ChartOption } from '../spec/option'
import type { Drawing } from './protocol'

use([LineChart, CustomChart, GridComponent, CanvasRenderer])

export type AnyCanvas = HTMLCanvasElement | OffscreenCanvas

/** A worker has no document that could make a canvas to measure texts with. */
if (typeof document === 'undefined')
  setPlatformAPI({ createCanvas: () => new OffscreenCanvas(32, 32) as unknown as HTMLCanvasElement })

/** Owns the ECharts instance of one canvas. It runs wherever the canvas is. */
export class Painter {
  #chart: ECharts | undefined
  #ratio = 0
  #size = ''
  #series = ''

  constructor(private readonly canvas: AnyCanvas) {}

  /** Draws at once, so that the pixels are there when it returns. */
  draw({ spec, theme, view, width, height, ratio }: Drawing): void {
    const chart = this.#sized(width, height, ratio)
    const option = optionOf(spec, theme, view, height)
    const series = idsOf(option)
    // Without another series ECharts changes what differs. It would keep series that are gone.
    chart.setOption(option, { notMerge: series !== this.#series })
    this.#series = series
  }

  dispose(): void {
    this.#chart?.dispose()
    this.#chart = undefined
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
