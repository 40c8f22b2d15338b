import type { SearchSchemaInput } from '@tanstack/react-router'
import type { Asked } from '../../records/found'
import { keyTypes, type RecordKey } from '../../records/key'
import { jsonOf, setOf, textOf } from '../../search'
import { sortOf, sortText } from '../../table/sort'

/** The set, its filter and order, and the open record. */
export interface RecordsSearch {
  ns?: string | undefined
  set?: string | undefined
  /** a filter as JSON text */
  where?: string | undefined
  /** a bin or metadata, such as `-@size` for the largest first */
  order?: string | undefined
  key?: string | undefined
  keytype?: RecordKey['type'] | undefined
  create?: boolean | undefined
}

export function readRecordsSearch(raw: RecordsSearch & SearchSchemaInput): RecordsSearch {
  return {
    ns: textOf(raw.ns),
    set: setOf(raw.set),
    where: jsonOf('where', raw.where),
    order: textOf(raw.order),
    key: textOf(raw.key),
    keytype: keyTypes.find((type) => type === raw.keytype),
    create: raw.create === true ? true : undefined,
  }
}

/** What the address says of the list. */
export function askedIn({ where = '', order }: RecordsSearch): Asked {
  const sort = sortOf(order)
  return { where, by: sort?.name, desc: sort?.down ?? false }
}

/** The reverse. */
export const askedSearch = ({ where, by, desc }: Asked): Pick<RecordsSearch, 'where' | 'order'> => ({
  where: where === '' ? undefined : where,
  order: by === undefined ? undefined : sortText({ name: by, down: desc }),
})
