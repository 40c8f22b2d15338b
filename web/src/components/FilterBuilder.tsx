import { useState } from 'react'
import { jsonProblem } from '../records/bins'
import { emptyRow, type FilterRow, rowProblem, rowsOf, whereText } from '../records/filter'
import { Button } from '../ui/Button'
import { Icon } from '../ui/Icon'
import { AreaField } from '../ui/inputs'
import { FilterRowFields } from './FilterRowFields'

interface Props {
  bins: string[]
  /** the filter as JSON text; empty = every record */
  where: string
  onChange: (where: string) => void
}

/** A filter as rows and as JSON, in step: either can be edited. */
export function FilterBuilder({ bins, where, onChange }: Props) {
  const [rows, setRows] = useState<FilterRow[]>(() => rowsOf(where) ?? [])
  const [known, setKnown] = useState(where)
  // The text was changed from outside (an example, the address): the rows follow.
  if (where !== known) {
    setKnown(where)
    setRows(rowsOf(where) ?? [])
  }
  const change = (next: FilterRow[]): void => {
    const text = whereText(next)
    setRows(next)
    setKnown(text)
    onChange(text)
  }
  const editText = (text: string): void => {
    setKnown(text)
    const read = rowsOf(text)
    if (read !== undefined) setRows(read)
    onChange(text)
  }
  const beyond = rowsOf(where) === undefined && jsonProblem(where) === undefined
  return (
    <div className="stack">
      <div className="stack-small">
        <div className="spread">
          <strong className="small">Filter</strong>
          <span className="mute small">
            {rows.length > 1 ? 'all must hold' : rows.length === 0 ? 'none: every record' : ''}
          </span>
        </div>
        {beyond ? (
          <p className="note small">This filter says more than rows can show (or, not, nested); edit it as JSON.</p>
        ) : (
          rows.map((row, index) => (
            <FilterRowFields
              key={index}
              bins={bins}
              row={row}
              problem={row.bin === '' && row.value === '' ? undefined : rowProblem(row)}
              onChange={(next) => change(rows.map((old, at) => (at === index ? next : old)))}
              onRemove={() => change(rows.filter((_, at) => at !== index))}
            />
          ))
        )}
        {!beyond && (
          <div>
            <Button small onClick={() => change([...rows, { ...emptyRow, bin: bins[0] ?? '' }])}>
              <Icon name="plus" />
              Add a condition
            </Button>
          </div>
        )}
      </div>
      <AreaField
        label="Filter as JSON"
        value={where}
        onChange={editText}
        rows={Math.min(12, where.split('\n').length + Math.ceil(where.length / 60) + 1)}
        placeholder='{"bin":"event_type","op":"eq","value":"PushEvent"}'
        error={where.trim() === '' ? undefined : jsonProblem(where)}
      />
    </div>
  )
}
