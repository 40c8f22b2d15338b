import { type Group, limitText } from '../../records/request-fields'
import { metaNames } from '../../records/source'
import { type Choice, plainChoices, SelectField, TextField } from '../../ui/inputs'
import { ColumnRows } from './ColumnRows'

interface Props {
  bins: readonly string[]
  group: Group
  /** names of the figures that are asked for */
  figures: readonly string[]
  onChange: (group: Group) => void
}

/** What records are put together by; the figures are then of each group. */
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
            label="Most groups"
            inputMode="numeric"
            placeholder="all"
            value={group.top}
            onChange={(top) => onChange({ ...group, top: limitText(top) })}
          />
          <SelectField
            label="Ordered by figure"
            value={group.order}
            choices={orders(figures, group.order)}
            onChange={(order) => onChange({ ...group, order })}
          />
          <SelectField
            label="Direction"
            value={group.rising ? 'least' : 'greatest'}
            choices={[
              { value: 'greatest', label: 'greatest first' },
              { value: 'least', label: 'least first' },
            ]}
            onChange={(next) => onChange({ ...group, rising: next === 'least' })}
          />
        </div>
      )}
    </div>
  )
}

/** The figures by name; one that is named and not asked for stays a choice, and says so. */
function orders(figures: readonly string[], order: string): Choice<string>[] {
  const choices = [{ value: '', label: figures[0] ?? 'the first' }, ...plainChoices(figures.slice(1))]
  const known = order === '' || figures.includes(order)
  // What is said in full stays as it is said, though it is the first.
  const said = order !== '' && order === figures[0] ? [{ value: order, label: order }] : []
  return [...choices, ...said, ...(known ? [] : [{ value: order, label: `${order} (not asked for)` }])]
}
