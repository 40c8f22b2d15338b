import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../search'

export interface JobsSearch {
  id?: string | undefined
  kind?: string | undefined
}

export function readJobsSearch(raw: JobsSearch & SearchSchemaInput): JobsSearch {
  return { id: textOf(raw.id), kind: textOf(raw.kind) }
}
