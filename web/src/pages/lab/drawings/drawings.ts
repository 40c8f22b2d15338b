import type { ComponentType } from 'react'
import type { DrawingProps } from './drawing-props'
import { PageSizeCharts } from './PageSizeCharts'
import { ParallelIndexChart } from './ParallelIndexChart'
import { RecordSizeChart } from './RecordSizeChart'
import { SegmentsChart } from './SegmentsChart'
import { SetIndexCharts } from './SetIndexCharts'

/** Charts of an experiment's rows, by its id. */
export const drawings: Partial<Record<string, ComponentType<DrawingProps>>> = {
  'page-size': PageSizeCharts,
  'parallel-index': ParallelIndexChart,
  segments: SegmentsChart,
  'set-index': SetIndexCharts,
  tps: RecordSizeChart,
}
