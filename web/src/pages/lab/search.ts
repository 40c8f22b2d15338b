import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../search'

export interface LabSearch {
  /** the shown experiment; unset: the first */
  experiment?: string | undefined
  /** the shown run; unset: the newest with a report */
  run?: string | undefined
}

export function readLabSearch(raw: LabSearch & SearchSchemaInput): LabSearch {
  return { experiment: textOf(raw.experiment), run: textOf(raw.run) }
}
