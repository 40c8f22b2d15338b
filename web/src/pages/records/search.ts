import type { SearchSchemaInput } from '@tanstack/react-router'
import { keyTypes, type RecordKey } from '../../records/key'
import { setOf, textOf } from '../../search'

/** The set and the open record. */
export interface RecordsSearch {
  ns?: string | undefined
  set?: string | undefined
  key?: string | undefined
  keytype?: RecordKey['type'] | undefined
  create?: boolean | undefined
}

export function readRecordsSearch(raw: RecordsSearch & SearchSchemaInput): RecordsSearch {
  return {
    ns: textOf(raw.ns),
    set: setOf(raw.set),
    key: textOf(raw.key),
    keytype: keyTypes.find((type) => type === raw.keytype),
    create: raw.create === true ? true : undefined,
  }
}
