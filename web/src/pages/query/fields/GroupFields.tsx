import { type Group, limitText } from '../../../records/request/request-fields'
import { metaNames } from '../../../records/request/source'
import { type Choice, plainChoices, SelectField, TextField } from '../../../ui/inputs'
import { ColumnRows } from './ColumnRows'

interface Props {
  bins: readonly string[]
  group: Group
  /** names of the requested figures */
  figures: readonly string[]
  onChange: (group: Group) => void
}

/** The group keys; the figures are then computed per group. */
export function GroupFields({ bins, group, figures, onChange }: Props) {
  return (
    <div className="stack-small">
      <ColumnRows
        title="Group by"
        none="none"
        one="group key"
        bins={[...bins, ...metaNames]}
        rows={group.by}
        onChange={(by) => onChange({ ...group, by })}
      />
      {group.by.length > 0 && (
        <div className="group-fields">
          <TextField
            label="Maximum groups"
            inputMode="numeric"
            placeholder="all"
            value={group.top}
            onChange={(top) => onChange({ ...group, top: limitText(top) })}
          />
          <SelectField
            label="Order by figure"
            value={group.order}
            choices={orders(figures, group.order)}
            onChange={(order) => onChange({ ...group, order })}
          />
          <SelectField
            label="Direction"
            value={group.rising ? 'least' : 'greatest'}
            choices={[
              { value: 'greatest', label: 'largest first' },
              { value: 'least', label: 'smallest first' },
            ]}
            onChange={(next) => onChange({ ...group, rising: next === 'least' })}
          />
        </div>
      )}
    </div>
  )
}

/** The figures by name. A named figure that is not requested stays a choice, with a note. */
function orders(figures: readonly string[], order: string): Choice<string>[] {
  const choices = [{ value: '', label: figures[0] ?? 'the first' }, ...plainChoices(figures.slice(1))]
  const known = order === '' || figures.includes(order)
  // Keep an explicit name, even if it is the default.
  const said = order !== '' && order === figures[0] ? [{ value: order, label: order }] : []
  return [...choices, ...said, ...(known ? [] : [{ value: order, label: `${order} (not selected)` }])]
}
