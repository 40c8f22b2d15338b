import { dateTime } from '../../../format'
import { type Exact, isExactObject, isIntegerText, LosslessNumber } from '../../../records/json'
import { damageOf, keyOf, type RecordKey } from '../../../records/key'
import { binColumns, binsOf, cellText } from '../../../records/rows/columns'
import { DamageBadge } from '../../../records/rows/DamageBadge'
import type { ColumnDef } from '../../../table/column'
import { SORTED_PAGE } from './use-record-window'
import { t } from '../../../language/text'

/** Bins that are shown at first. */
const FIRST_BINS = 6
/** Most bins that can be chosen. */
const MOST_BINS = 64
/** Width of a character of a value, pixels. */
const CHARACTER = 7.3

interface Options {
  sample: readonly Exact[]
  /** bins of the filter and of the order: what is looked for stays on a narrow screen */
  asked: readonly string[]
  /** the range index that has the order of a bin, if there is one */
  orderedBy: (bin: string) => string | undefined
  onOpen: (key: RecordKey) => void
}

/** The columns of records: the key, their bins by how many have them, and what the store knows of them. */
export function recordColumns({ sample, asked, orderedBy, onOpen }: Options): ColumnDef<Exact>[] {
  const { names } = binColumns(sample, MOST_BINS)
  const usual = new Set(binColumns(sample, FIRST_BINS).names)
  const ranks = ranked(names, sample, asked)
  const orders = (by: string) => ({ by, cost: costOf(by, orderedBy(by)) })
  return [
    {
      name: 'key',
      label: t('key'),
      orders: orders('@key'),
      width: 180,
      cell: (row) => {
        const key = keyOf(row)
        const damage = damageOf(row)
        if (damage !== undefined) return <DamageBadge {...damage} />
        return key === undefined ? (
          '–'
        ) : (
          <button type="button" className="link mono" onClick={() => onOpen(key)}>
            {key.text}
          </button>
        )
      },
    },
    ...names.map((name): ColumnDef<Exact> => {
      const rank = ranks.indexOf(name)
      const kind = kindOf(sample, name)
      const right = kind === 'int' || kind === 'double'
      return {
        name,
        head: kind,
        right,
        ...(kind === 'json'
          ? { unordered: t('Lists and maps have no order. Filter by a path in {name} instead.', { name }) }
          : { orders: orders(name) }),
        off: !usual.has(name),
        ...(rank > 0 && { low: rank }),
        ...widthOf(sample, name),
        cell: (row) => {
          const value = binsOf(row)[name]
          if (value === undefined) return damageOf(row) === undefined && <span className="mute">{t('unset')}</span>
          return right ? cellText(value) : <span className="mono">{cellText(value)}</span>
        },
      }
    }),
    {
      name: 'gen',
      label: t('gen'),
      orders: orders('@generation'),
      right: true,
      width: 64,
      low: MOST_BINS + 1,
      cell: (row) =>
        isExactObject(row) && row['generation'] instanceof LosslessNumber ? row['generation'].toString() : '',
    },
    {
      name: 'expires',
      label: t('expires'),
      orders: orders('@expiresAt'),
      width: 172,
      off: true,
      cell: (row) => <span className="num mute">{timeOf(row, 'expiresAt') ?? t('never')}</span>,
    },
    {
      name: 'updated',
      label: t('updated'),
      orders: orders('@updatedAt'),
      width: 172,
      low: MOST_BINS + 2,
      cell: (row) => <span className="num mute">{timeOf(row, 'updatedAt') ?? ''}</span>,
    },
    {
      name: 'digest',
      label: t('digest'),
      unordered: t(
        'Without a chosen order, records come in the order of the primary index, which goes by their digests.',
      ),
      width: 320,
      off: true,
      cell: (row) => <span className="mono">{isExactObject(row) ? String(row['digest']) : ''}</span>,
    },
  ]
}

/** Bins by how late they leave a narrow table: the first one stays. One that repeats the key says nothing more. */
function ranked(names: readonly string[], sample: readonly Exact[], asked: readonly string[]): string[] {
  const repeats = (name: string): boolean =>
    sample.every((record) => {
      const key = keyOf(record)
      return key !== undefined && cellText(binsOf(record)[name]) === key.text
    })
  const rankOf = (name: string): number => (asked.includes(name) ? 0 : repeats(name) ? 2 : 1)
  return names.toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** What an order costs, before it is chosen. */
const costOf = (by: string, index: string | undefined): string =>
  index === undefined
    ? t(
        'Sort by {by}. No range index has this order, so all records are read for each {sortedpage, plural, one {# row} other {# rows}}.',
        { by, sortedpage: SORTED_PAGE },
      )
    : t('Sort by {by}. The index {index} has this order.', { by, index })

function timeOf(row: Exact, name: string): string | undefined {
  const time = isExactObject(row) ? row[name] : undefined
  return typeof time === 'string' ? dateTime(Date.parse(time)) : undefined
}

/** The type of the values of a bin, if they have one. */
function kindOf(sample: readonly Exact[], name: string): string | undefined {
  const kinds = new Set(sample.flatMap((record) => kindOfValue(binsOf(record)[name]) ?? []))
  // A double without a fraction looks like an integer.
  if (kinds.has('double')) kinds.delete('int')
  const [kind] = kinds
  return kinds.size === 1 ? kind : undefined
}

function kindOfValue(value: Exact | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return 'str'
  if (typeof value === 'boolean') return 'bool'
  if (value instanceof LosslessNumber) return isIntegerText(value.toString()) ? 'int' : 'double'
  return !Array.isArray(value) && Object.keys(value).join() === '$bytes' ? 'bytes' : 'json'
}

/** What a column has at most of a narrow table, pixels. */
const WIDEST = 260

/** Width of a column for the first records, within bounds, pixels; and whether they would need more. */
function widthOf(sample: readonly Exact[], name: string): Pick<ColumnDef<Exact>, 'width' | 'grows'> {
  const lengths = sample.slice(0, 50).map((record) => cellText(binsOf(record)[name]).length)
  const needed = Math.round(Math.max(90, ...lengths.map((length) => length * CHARACTER + 24), name.length * 8 + 60))
  return { width: Math.min(WIDEST, needed), ...(needed > WIDEST && { grows: true }) }
}
