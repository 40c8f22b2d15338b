import type { SearchSchemaInput } from '@tanstack/react-router'
import { requestBody } from '../../records/body'
import { jsonOf, setOf, textOf } from '../../search'

/** A query can be shared by its address: the whole request, or where that is too long the id of a saved one. */
export interface QuerySearch {
  ns?: string | undefined
  /** JSON text */
  request?: string | undefined
  saved?: string | undefined
}

/** What a link may say instead of a request. */
interface QueryLink extends QuerySearch {
  set?: string | undefined
  where?: string | undefined
}

export function readQuerySearch(raw: QueryLink & SearchSchemaInput): QuerySearch {
  const { set, where } = { set: setOf(raw.set), where: jsonOf('where', raw.where) }
  const parts =
    set === undefined && where === undefined ? undefined : requestBody({ set, limit: 100 }, { where: where ?? '' })
  return { ns: textOf(raw.ns), request: jsonOf('request', raw.request) ?? parts, saved: textOf(raw.saved) }
}
