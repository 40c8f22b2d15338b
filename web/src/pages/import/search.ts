import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../search'

export interface ImportSearch {
  ns?: string | undefined
}

export function readImportSearch(raw: ImportSearch & SearchSchemaInput): ImportSearch {
  return { ns: textOf(raw.ns) }
}
