import type { SearchSchemaInput } from '@tanstack/react-router'
import { requestBody } from '../../records/body'
import { jsonOf, setOf, textOf } from '../../search'

/** The address of a query has the whole request or, if it is too long, the id of a saved query. */
export interface QuerySearch {
  ns?: string | undefined
  /** JSON text */
  request?: string | undefined
  saved?: string | undefined
}

/** Parameters that a link may have instead of a request. */
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
