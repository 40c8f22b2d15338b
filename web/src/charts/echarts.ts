// The only file that imports ECharts: what is not registered here cannot be drawn, nor named in an option.
import {
  CustomChart,
  LineChart,
  ScatterChart,
  type CustomSeriesOption,
  type LineSeriesOption,
  type ScatterSeriesOption,
} from 'echarts/charts'
import { GridComponent, type GridComponentOption } from 'echarts/components'
import { init, use, type ComposeOption, type ECharts } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'

use([LineChart, ScatterChart, CustomChart, GridComponent, CanvasRenderer])

export type ChartOption = ComposeOption<
  LineSeriesOption | ScatterSeriesOption | CustomSeriesOption | GridComponentOption
>
export type { CustomSeriesOption, ECharts, LineSeriesOption, ScatterSeriesOption }
export { init }
