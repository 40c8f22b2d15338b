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
  /** the segment that the list begins at, if it begins at no key */
  segment?: number | undefined
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
    segment: isSegment(raw.segment) ? raw.segment : undefined,
    key: textOf(raw.key),
    keytype: keyTypes.find((type) => type === raw.keytype),
    create: raw.create === true ? true : undefined,
  }
}

const isSegment = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 4096

/** What the address says of the list. */
export function askedIn({ where = '', order, from, fromtype = 'string', segment }: RecordsSearch): Asked {
  const sort = sortOf(order)
  const asked = { where, by: sort?.name, desc: sort?.down ?? false }
  if (!isPlain(asked)) return asked
  if (from !== undefined) return { ...asked, from: { text: from, type: fromtype } }
  return segment === undefined ? asked : { ...asked, segment }
}

/** The reverse. */
export function askedSearch({
  where,
  by,
  desc,
  from,
  segment,
}: Asked): Pick<RecordsSearch, 'where' | 'order' | 'from' | 'fromtype' | 'segment'> {
  const plain = isPlain({ where, by, desc })
  const place = plain ? from : undefined
  return {
    where: where === '' ? undefined : where,
    order: by === undefined ? undefined : sortText({ name: by, down: desc }),
    from: place?.text,
    fromtype: place?.type,
    segment: plain && place === undefined ? segment : undefined,
  }
}
