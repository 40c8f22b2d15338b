import type { ColumnDef } from '../../table/column'
import type { Exact } from '../json'
import { damageOf, keyOf } from '../key'
import { binColumns, binsOf, cellText } from './columns'
import { DamageBadge } from './DamageBadge'
import { recordOf, type ResultRow } from './parsed-rows'
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

/** The columns of a result, and how many bins are not shown at first. `plain`: its rows have no key. */
export function resultColumns(sample: readonly Exact[], plain: boolean, onOpen: (record: Exact) => void) {
  const { names } = binColumns(sample, MOST_COLUMNS)
  const usual = new Set(plain ? names : binColumns(sample, FIRST_BINS).names)
  const bins = names.map((name, at): ColumnDef<ResultRow> => ({
    name,
    off: !usual.has(name),
    width: widthOf(sample, name),
    cell: ({ record }) => {
      const damage = damageOf(record)
      if (plain && at === 0 && damage !== undefined) return <DamageBadge {...damage} />
      return <span className="mono">{cellText(binsOf(record)[name])}</span>
    },
  }))
  const key: ColumnDef<ResultRow> = {
    name: 'key',
    label: t('key'),
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
  const number: ColumnDef<ResultRow> = {
    name: '#',
    label: t('#'),
    width: 64,
    cell: ({ index }) => <span className="num mute">{index + 1}</span>,
  }
  const columns = [number, ...(plain && bins.length > 0 ? [] : [key]), ...bins]
  return { columns, hidden: names.length - usual.size }
}

/** Width of a column for the first rows, within bounds, pixels. */
function widthOf(sample: readonly Exact[], name: string): number {
  const longest = Math.max(name.length, ...sample.map((record) => cellText(binsOf(record)[name]).length))
  return Math.round(Math.min(280, Math.max(60, longest * CHARACTER + 24)))
}
