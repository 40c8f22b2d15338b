import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../search'

export interface LabSearch {
  /** the experiment that is shown; absent: the first */
  experiment?: string | undefined
  /** the run that is shown; absent: the newest with a report */
  run?: string | undefined
}

export function readLabSearch(raw: LabSearch & SearchSchemaInput): LabSearch {
  return { experiment: textOf(raw.experiment), run: textOf(raw.run) }
}
