import type { SearchSchemaInput } from '@tanstack/react-router'
import { kindLabel } from '../../components/jobs/job-state'
import { type FilterSearch, readFilterSearch } from '../../components/jobs/list-filter'
import { textOf } from '../../search'

export interface JobsSearch extends FilterSearch {
  id?: string | undefined
  kind?: string | undefined
  ns?: string | undefined
}

export function readJobsSearch(raw: JobsSearch & SearchSchemaInput): JobsSearch {
  const kind = textOf(raw.kind)
  return {
    id: textOf(raw.id),
    kind: kind !== undefined && Object.hasOwn(kindLabel, kind) ? kind : undefined,
    ns: textOf(raw.ns),
    ...readFilterSearch(raw),
  }
}
