import { useDeferredValue, useMemo, useState } from 'react'
import { ColumnsPlace } from '../../table/ColumnsPlace'
import { MenuPlace } from '../../table/menu-place'
import { NothingFound } from '../../table/NothingFound'
import type { Sort } from '../../table/sort'
import { SourceTable } from '../../table/SourceTable'
import { TableBar } from '../../table/TableBar'
import type { Exact } from '../json'
import { ParsedRows, type ResultRow } from './parsed-rows'
import { resultColumns, SAMPLE, sampleOf, valueOfColumn } from './result-columns'
import { placesOf, shownOf } from './result-order'
import { t } from '../../language/text'

interface Props {
  /** records as JSON text, one each */
  rows: readonly string[]
  plain: boolean
  ns: string
  onOpen: (record: Exact) => void
}

const NONE: readonly string[] = []

/** The rows of a result with a search and an order. They are parsed as they come into view, all of them if one of both is used. */
export function ResultTable({ rows, plain, ns, onOpen }: Props) {
  const [parsed] = useState(() => new ParsedRows())
  const [asked, ask] = useState('')
  const [sort, setSort] = useState<Sort>()
  const [menuPlace] = useState(() => new MenuPlace())
  // The first rows decide: more of them do not change what is there.
  const [sample, setSample] = useState(NONE)
  if (sample[0] !== rows[0] || sample.length < Math.min(SAMPLE, rows.length)) setSample(rows.slice(0, SAMPLE))
  const { columns, hidden } = useMemo(
    () => resultColumns(sampleOf(sample, plain), plain, onOpen),
    [sample, plain, onOpen],
  )
  // Rows that stream in must not hold up the page.
  const settled = useDeferredValue(rows)
  const shown = useMemo(() => {
    const valueOf = sort && valueOfColumn(columns, sort.name)
    const order = sort && valueOf && { valueOf, down: sort.down }
    return shownOf(settled.length, placesOf(settled, plain, asked, order))
  }, [settled, plain, asked, sort, columns])
  const label = plain ? t('Rows') : t('Records')
  const source = {
    count: shown.count,
    at: (index: number) => parsed.at(rows[shown.placeOf(index)], shown.placeOf(index), plain),
    keyOf: ({ index }: ResultRow) => String(index),
    indexOf: (key: string) => shown.indexOf(Number(key)),
  }
  return (
    <>
      <TableBar
        label={label}
        noun={(n) => t('{n, plural, one {# row} other {# rows}}', { n })}
        asked={asked}
        onAsk={ask}
        found={shown.count}
        total={rows.length}
        end={<ColumnsPlace place={menuPlace} className="columns-place end" />}
      />
      <SourceTable
        label={label}
        list={`${plain ? 'rows' : 'results'}.${ns}`}
        menuPlace={menuPlace}
        columns={columns}
        source={source}
        sort={sort}
        onSort={setSort}
        tall
        nothing={<NothingFound asked={asked} onClear={() => ask('')} />}
      />
      {hidden > 0 && (
        <p className="mute small">
          {plain
            ? t('{hidden, plural, one {# more column} other {# more columns}} under Columns', { hidden })
            : t('{hidden, plural, one {# more bin} other {# more bins}} under Columns', { hidden })}
        </p>
      )}
    </>
  )
}
