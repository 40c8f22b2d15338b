import { useMemo, useState } from 'react'
import { count } from '../../format'
import { Segmented } from '../../ui/Segmented'
import { type Exact, parseExact, printExact } from '../json'
import { RecordTree } from './RecordTree'
import { RecordDialog } from './RecordDialog'
import { ResultTable } from './ResultTable'
import { t } from '../../language/text'

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

const totalWords = (n: number, plain: boolean): string =>
  plain
    ? t('{n, plural, one {# row} other {# rows}}', { n })
    : t('{n, plural, one {# record} other {# records}}', { n })

/** Records in a virtual table (only what is visible is parsed), as a tree, or as JSON. */
export function RecordRows({ rows, plain = false, ns, total, exports = false }: Props) {
  const [view, setView] = useState<'table' | 'tree' | 'json'>('table')
  const [open, setOpen] = useState<Exact>()
  return (
    <div className="stack-small">
      <div className="spread">
        <span className="mute">
          {total > rows.length
            ? t('first {rows} of {total}', { rows: count(rows.length), total: totalWords(total, plain) })
            : totalWords(total, plain)}
        </span>
        <Segmented
          label={t('View')}
          value={view}
          choices={[
            { value: 'table', label: t('table') },
            { value: 'tree', label: t('tree') },
            { value: 'json', label: t('JSON') },
          ]}
          onChange={setView}
        />
      </div>
      {view === 'table' && <ResultTable rows={rows} plain={plain} ns={ns} onOpen={setOpen} />}
      {view === 'tree' && <RecordTree rows={rows} />}
      {view === 'json' && <JsonRows rows={rows} plain={plain} exports={exports} />}
      <RecordDialog ns={ns} record={open} onClose={() => setOpen(undefined)} />
    </div>
  )
}

/** The part that the JSON view prints: several megabytes would block the browser for seconds. */
const JSON_ROWS = 200
const JSON_CHARACTERS = 1_000_000

function JsonRows({ rows, plain, exports }: { rows: readonly string[]; plain: boolean; exports: boolean }) {
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
      <pre className="json" tabIndex={0} aria-label={plain ? t('Rows as JSON') : t('Records as JSON')}>
        {text}
      </pre>
      {rows.length > shown && (
        <p className="mute small">
          {plain
            ? t('The first {shown, plural, one {# row} other {# rows}}.', { shown })
            : t('The first {shown, plural, one {# record} other {# records}}.', { shown })}{' '}
          {exports && t('Export to get all.')}
        </p>
      )}
    </>
  )
}
