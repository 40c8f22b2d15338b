import type { SearchSchemaInput } from '@tanstack/react-router'
import { type Asked, isPlain } from '../../records/found'
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
  /** key of the record that the list begins at, without a filter and an order */
  from?: string | undefined
  fromtype?: RecordKey['type'] | undefined
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
    from: textOf(raw.from),
    fromtype: keyTypes.find((type) => type === raw.fromtype),
    key: textOf(raw.key),
    keytype: keyTypes.find((type) => type === raw.keytype),
    create: raw.create === true ? true : undefined,
  }
}

/** What the address says of the list. */
export function askedIn({ where = '', order, from, fromtype = 'string' }: RecordsSearch): Asked {
  const sort = sortOf(order)
  const asked = { where, by: sort?.name, desc: sort?.down ?? false }
  return from === undefined || !isPlain(asked) ? asked : { ...asked, from: { text: from, type: fromtype } }
}

/** The reverse. */
export function askedSearch({
  where,
  by,
  desc,
  from,
}: Asked): Pick<RecordsSearch, 'where' | 'order' | 'from' | 'fromtype'> {
  const place = isPlain({ where, by, desc }) ? from : undefined
  return {
    where: where === '' ? undefined : where,
    order: by === undefined ? undefined : sortText({ name: by, down: desc }),
    from: place?.text,
    fromtype: place?.type,
  }
}
