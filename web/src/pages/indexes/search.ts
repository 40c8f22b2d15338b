import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../search'

export interface IndexesSearch {
  ns?: string | undefined
  create?: boolean | undefined
}

export function readIndexesSearch(raw: IndexesSearch & SearchSchemaInput): IndexesSearch {
  return { ns: textOf(raw.ns), create: raw.create === true ? true : undefined }
}
