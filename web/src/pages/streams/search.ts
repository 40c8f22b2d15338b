import type { SearchSchemaInput } from '@tanstack/react-router'
import { requestBody } from '../../records/body'
import { jsonOf, setOf, textOf } from '../../search'

/** The address of a stream has the whole request. */
export interface StreamsSearch {
  ns?: string | undefined
  /** JSON text */
  request?: string | undefined
}

/** A link may have a set instead of a request. */
interface StreamsLink extends StreamsSearch {
  set?: string | undefined
}

export function readStreamsSearch(raw: StreamsLink & SearchSchemaInput): StreamsSearch {
  const set = setOf(raw.set)
  const ofSet = set === undefined ? undefined : requestBody({ set }, { steps: '[]' })
  return { ns: textOf(raw.ns), request: jsonOf('request', raw.request) ?? ofSet }
}
