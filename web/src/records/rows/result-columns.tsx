import { type ColumnDef, named } from '../../table/column'
import { type Exact, isExactObject, LosslessNumber } from '../json'
import { damageOf, keyOf } from '../key'
import { binColumns, binsOf, cellText } from './columns'
import { DamageBadge } from './DamageBadge'
import { recordOf, type ResultRow } from './parsed-rows'
import type { ValueOf } from './result-order'
import { t } from '../../language/text'

/** Bins of records that are shown at first. */
const FIRST_BINS = 8
/** Most columns; a request that chose them sees them all. */
const MOST_COLUMNS = 64
/** Number of rows that decide the columns and their widths. */
export const SAMPLE = 20
/** Width of a character of a value, pixels. */
const CHARACTER = 7.3

export const sampleOf = (rows: readonly string[], plain: boolean): Exact[] =>
  rows.slice(0, SAMPLE).map((row) => recordOf(row, plain))

/** A column of a result. The browser orders the rows that it has. */
interface ResultColumn extends ColumnDef<ResultRow> {
  valueOf: ValueOf
}

const orders = (by: string) => ({ by, cost: t('Sort by {by}, among the rows that are here', { by }) })

/** What the column of this name in a table orders the rows by. */
export function valueOfColumn(columns: readonly ResultColumn[], id: string): ValueOf | undefined {
  return columns[named(columns).findIndex((column) => column.id === id)]?.valueOf
}

/** The columns of a result, and how many bins are not shown at first. `plain`: its rows have no key. */
export function resultColumns(sample: readonly Exact[], plain: boolean, onOpen: (record: Exact) => void) {
  const { names } = binColumns(sample, MOST_COLUMNS)
  const usual = new Set(plain ? names : binColumns(sample, FIRST_BINS).names)
  const bins = names.map((name, at): ResultColumn => ({
    name,
    orders: orders(name),
    valueOf: (record) => binsOf(record)[name],
    off: !usual.has(name),
    width: widthOf(sample, name),
    cell: ({ record }) => {
      const damage = damageOf(record)
      if (plain && at === 0 && damage !== undefined) return <DamageBadge {...damage} />
      return <span className="mono">{cellText(binsOf(record)[name])}</span>
    },
  }))
  const key: ResultColumn = {
    name: 'key',
    label: t('key'),
    orders: orders(t('key')),
    valueOf: (record) => (isExactObject(record) ? record['key'] : undefined),
    width: 180,
    cell: ({ record }) => {
      const damage = damageOf(record)
      if (damage !== undefined) return <DamageBadge {...damage} />
      return (
        <button type="button" className="link mono" onClick={() => onOpen(record)}>
          {keyOf(record)?.text ?? '–'}
        </button>
      )
    },
  }
  const number: ResultColumn = {
    name: '#',
    label: t('#'),
    orders: { by: '#', cost: t('Sort by when they came') },
    valueOf: (_record, index) => new LosslessNumber(String(index)),
    width: 64,
    cell: ({ index }) => <span className="num mute">{index + 1}</span>,
  }
  const columns = [number, ...(plain && bins.length > 0 ? [] : [key]), ...bins]
  return { columns, hidden: names.length - usual.size }
}

/** Width of a column for the first rows, within bounds, pixels. Its head has room for the mark of an order. */
function widthOf(sample: readonly Exact[], name: string): number {
  const longest = Math.max(name.length, ...sample.map((record) => cellText(binsOf(record)[name]).length))
  return Math.round(Math.min(280, Math.max(90, longest * CHARACTER + 24)))
}
