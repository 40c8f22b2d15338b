import { type Group, limitText } from '../../records/request-fields'
import { metaNames } from '../../records/source'
import { SelectField, TextField } from '../../ui/inputs'
import { ColumnRows } from './ColumnRows'

interface Props {
  bins: readonly string[]
  group: Group
  onChange: (group: Group) => void
}

/** What records are put together by; the figures are then of each group. */
export function GroupFields({ bins, group, onChange }: Props) {
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
        <div className="grid-2 pair">
          <TextField
            label="Most groups"
            inputMode="numeric"
            placeholder="all"
            value={group.top}
            onChange={(top) => onChange({ ...group, top: limitText(top) })}
          />
          <TextField
            label="Ordered by figure"
            mono
            placeholder="the first"
            value={group.order}
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
