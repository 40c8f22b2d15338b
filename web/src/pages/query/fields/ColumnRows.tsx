import type { ReactNode } from 'react'
import { type Column, columnProblem, emptyColumn, itemNameProblem } from '../../../records/request/request-fields'
import { Button } from '../../../ui/Button'
import { FieldRow } from '../../../ui/FieldRow'
import { Icon } from '../../../ui/Icon'
import { SuggestInput } from '../../../ui/SuggestInput'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

interface Props {
  title: ReactNode
  /** the meaning of no rows */
  none: string
  /** noun for a row, such as "column" */
  one: string
  bins: readonly string[]
  rows: readonly Column[]
  onChange: (rows: Column[]) => void
}

/** Rows of bins, paths in them, and their names in the answer. */
export function ColumnRows({ title, none, one, bins, rows, onChange }: Props) {
  return (
    <div className="stack-small">
      <div className="spread">
        <strong className="small">{title}</strong>
        <span className="mute small">{rows.length === 0 ? none : ''}</span>
      </div>
      {rows.map((row, at) => (
        <ColumnRow
          key={at}
          bins={bins}
          one={one}
          row={row}
          onChange={(next) => onChange(rows.map((old, other) => (other === at ? next : old)))}
          onRemove={() => onChange(rows.filter((_, other) => other !== at))}
        />
      ))}
      <div>
        <Button small onClick={() => onChange([...rows, emptyColumn])}>
          <Say text="{icon}Add a {one}" values={{ icon: <Icon name="plus" />, one }} />
        </Button>
      </div>
    </div>
  )
}

interface RowProps {
  bins: readonly string[]
  one: string
  row: Column
  /** whether it is a list, whose items need a name */
  items?: boolean
  onChange: (row: Column) => void
  onRemove: () => void
}

export function ColumnRow({ bins, one, row, items = false, onChange, onRemove }: RowProps) {
  return (
    <FieldRow<keyof Column> errors={{ bin: columnProblem(row), as: items ? itemNameProblem(row) : undefined }}>
      {(control) => {
        const input = (part: 'path' | 'as', label: string, placeholder: string) => (
          <input
            className="input mono"
            aria-label={t('{label} of this {one}', { label, one })}
            {...control(part)}
            placeholder={placeholder}
            spellCheck={false}
            autoComplete="off"
            value={row[part]}
            onChange={(event) => onChange({ ...row, [part]: event.target.value })}
          />
        )
        return (
          <div className="column-row">
            <SuggestInput
              aria-label={t('{label} of this {one}', { label: t('Bin'), one })}
              {...control('bin')}
              names={bins}
              placeholder="bin"
              value={row.bin}
              onChange={(bin) => onChange({ ...row, bin })}
            />
            {input('path', t('Path'), 'path')}
            {input('as', t('Name'), 'as')}
            <Button look="quiet" aria-label={t('Remove this {one}', { one })} onClick={onRemove}>
              <Icon name="close" />
            </Button>
          </div>
        )
      }}
    </FieldRow>
  )
}
