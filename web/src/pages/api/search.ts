import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../search'

export interface ApiSearch {
  /** id of the operation that is shown */
  op?: string | undefined
  /** words that the listed operations have */
  q?: string | undefined
}

export function readApiSearch(raw: ApiSearch & SearchSchemaInput): ApiSearch {
  return { op: textOf(raw.op), q: textOf(raw.q) }
}
