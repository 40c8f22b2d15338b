import type { LabExperiment, LabReport } from '../../../api/types'

/** What the charts of an experiment are drawn from. */
export interface DrawingProps {
  experiment: LabExperiment
  report: LabReport
}
