import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import { count, plural } from '../../format'
import { Segmented } from '../../ui/Segmented'
import { type Exact, parseExact, printExact } from '../json'
import { damageOf, keyOf } from '../key'
import { binColumns, binsOf, hiddenWords } from './columns'
import { DamageBadge } from './DamageBadge'
import { RecordTree } from './RecordTree'
import { RecordDialog } from './RecordDialog'

const ROW = 28
const MOST_COLUMNS = 8
/** Most columns if the request chose them. */
const MOST_CHOSEN = 64
/** Number of rows that decide the columns and their widths. */
const SAMPLE = 20
const CHARACTER = 7.3

interface Props {
  /** records as JSON text, one each */
  rows: readonly string[]
  /** whether they are objects of columns, without a key */
  plain?: boolean
  ns: string
  /** total number, if more were found than kept */
  total: number
  /** whether the page writes all of them to a file */
  exports?: boolean
}

/** Records in a virtual table (only what is visible is parsed), as a tree, or as JSON. */
export function RecordRows({ rows, plain = false, ns, total, exports = false }: Props) {
  const noun = plain ? 'row' : 'record'
  const [view, setView] = useState<'table' | 'tree' | 'json'>('table')
  const [open, setOpen] = useState<Exact>()
  return (
    <div className="stack-small">
      <div className="spread">
        <span className="mute">
          {total > rows.length ? `first ${count(rows.length)} of ${plural(total, noun)}` : plural(total, noun)}
        </span>
        <Segmented
          label="View"
          value={view}
          choices={[
            { value: 'table', label: 'table' },
            { value: 'tree', label: 'tree' },
            { value: 'json', label: 'JSON' },
          ]}
          onChange={setView}
        />
      </div>
      {view === 'table' && <Table rows={rows} plain={plain} onOpen={setOpen} />}
      {view === 'tree' && <RecordTree rows={rows} />}
      {view === 'json' && <JsonRows rows={rows} plain={plain} exports={exports} />}
      <RecordDialog ns={ns} record={open} onClose={() => setOpen(undefined)} />
    </div>
  )
}

interface TableProps {
  rows: readonly string[]
  plain: boolean
  onOpen: (record: Exact) => void
}

function Table({ rows, plain, onOpen }: TableProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
  })
  const {
    names: columns,
    hidden,
    widths,
  } = useMemo(() => {
    const sample = rows.slice(0, SAMPLE).map((row) => recordOf(row, plain))
    const { names, hidden: more } = binColumns(sample, plain ? MOST_CHOSEN : MOST_COLUMNS)
    return { names, hidden: more, widths: widthsOf(sample, names) }
  }, [rows[0], rows.length > SAMPLE, plain])
  const template = {
    gridTemplateColumns: `56px ${plain ? '' : 'minmax(120px, 240px) '}${widths.map((width) => `minmax(${width}px, ${width}fr)`).join(' ') || '1fr'}`,
    minWidth: (plain ? 60 : 180) + widths.reduce((sum, width) => sum + width, 0),
  }
  return (
    <>
      <div
        ref={scroller}
        className="virtual"
        role="table"
        aria-rowcount={rows.length}
        aria-label={plain ? 'Rows' : 'Records'}
        tabIndex={0}
      >
        <div role="rowgroup">
          <div role="row" className="head" style={template}>
            <span role="columnheader">#</span>
            {!plain && <span role="columnheader">key</span>}
            {columns.map((name) => (
              <span key={name} role="columnheader">
                {name}
              </span>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          style={{ height: virtual.getTotalSize(), position: 'relative', minWidth: template.minWidth }}
        >
          {virtual.getVirtualItems().map((item) => {
            const record = recordOf(rows[item.index] ?? 'null', plain)
            const bins = binsOf(record)
            const damage = damageOf(record)
            return (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 1}
                className="line"
                style={{ ...template, height: ROW, transform: `translateY(${item.start}px)` }}
              >
                <span role="cell" className="mute">
                  {item.index + 1}
                </span>
                {!plain && (
                  <span role="cell">
                    {damage === undefined ? (
                      <button type="button" className="link" onClick={() => onOpen(record)}>
                        {keyOf(record)?.text ?? '–'}
                      </button>
                    ) : (
                      <DamageBadge {...damage} />
                    )}
                  </span>
                )}
                {plain && damage !== undefined ? (
                  <span role="cell" aria-colspan={Math.max(1, columns.length)} style={{ gridColumn: '2 / -1' }}>
                    <DamageBadge {...damage} />
                  </span>
                ) : (
                  columns.map((name) => (
                    <span key={name} role="cell">
                      {cellText(bins[name])}
                    </span>
                  ))
                )}
              </div>
            )
          })}
        </div>
      </div>
      {hidden > 0 && (
        <p className="mute small">{plain ? `${plural(hidden, 'more column')} in the tree` : hiddenWords(hidden)}</p>
      )}
    </>
  )
}

/** Wraps the columns of a row like the bins of a record; leaves the stand-in of a damaged record unchanged. */
function recordOf(row: string, plain: boolean): Exact {
  const value = parseExact(row)
  return plain && damageOf(value) === undefined ? { bins: value } : value
}

/** Width of a column for the first rows, within bounds, pixels. */
function widthsOf(sample: readonly Exact[], names: string[]): number[] {
  return names.map((name) => {
    const longest = Math.max(name.length, ...sample.map((record) => cellText(binsOf(record)[name]).length))
    return Math.round(Math.min(280, longest * CHARACTER + 24))
  })
}

export function cellText(value: Exact | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value.slice(0, 160)
  return printExact(value).slice(0, 160)
}

/** The part that the JSON view prints: several megabytes would block the browser for seconds. */
const JSON_ROWS = 200
const JSON_CHARACTERS = 1_000_000

function JsonRows({ rows, plain, exports }: Pick<TableProps, 'rows' | 'plain'> & { exports: boolean }) {
  const { shown, text } = useMemo(() => {
    const parts: string[] = []
    let room = JSON_CHARACTERS
    for (const row of rows.slice(0, JSON_ROWS)) {
      room -= row.length
      if (room < 0 && parts.length > 0) break
      parts.push(row)
    }
    return { shown: parts.length, text: parts.map((row) => printExact(parseExact(row), 2)).join('\n') }
  }, [rows])
  return (
    <>
      <pre className="json" tabIndex={0} aria-label={plain ? 'Rows as JSON' : 'Records as JSON'}>
        {text}
      </pre>
      {rows.length > shown && (
        <p className="mute small">
          The first {plural(shown, plain ? 'row' : 'record')}
          {exports && '; export to get all'}.
        </p>
      )}
    </>
  )
}
