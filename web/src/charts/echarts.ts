// The only file that imports ECharts: what is not registered here cannot be drawn, nor named in an option.
import { CustomChart, LineChart, type CustomSeriesOption, type LineSeriesOption } from 'echarts/charts'
import { GridComponent, type GridComponentOption } from 'echarts/components'
import { init, use, type ComposeOption, type ECharts } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'

use([LineChart, CustomChart, GridComponent, CanvasRenderer])

export type ChartOption = ComposeOption<LineSeriesOption | CustomSeriesOption | GridComponentOption>
export type { CustomSeriesOption, ECharts, LineSeriesOption }
export { init }
