import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../search'

export interface LabSearch {
  /** the run that is shown; absent: the newest with a report */
  run?: string | undefined
}

export function readLabSearch(raw: LabSearch & SearchSchemaInput): LabSearch {
  return { run: textOf(raw.run) }
}
