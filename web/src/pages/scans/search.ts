import type { SearchSchemaInput } from '@tanstack/react-router'
import { setOf, textOf } from '../../search'

export interface ScansSearch {
  ns?: string | undefined
  set?: string | undefined
}

export function readScansSearch(raw: ScansSearch & SearchSchemaInput): ScansSearch {
  return { ns: textOf(raw.ns), set: setOf(raw.set) }
}
