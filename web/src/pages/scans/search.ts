import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../search'

export interface ScansSearch {
  ns?: string | undefined
  set?: string | undefined
}

export function readScansSearch(raw: ScansSearch & SearchSchemaInput): ScansSearch {
  return { ns: textOf(raw.ns), set: textOf(raw.set) }
}
