import type { SearchSchemaInput } from '@tanstack/react-router'
import { setOf, textOf } from '../../search'

/** A query can be shared by its address. */
export interface QuerySearch {
  ns?: string | undefined
  set?: string | undefined
  where?: string | undefined
}

export function readQuerySearch(raw: QuerySearch & SearchSchemaInput): QuerySearch {
  return {
    ns: textOf(raw.ns),
    set: setOf(raw.set),
    where: typeof raw.where === 'object' ? JSON.stringify(raw.where) : textOf(raw.where),
  }
}
