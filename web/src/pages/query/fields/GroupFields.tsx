import { type Group, limitText } from '../../../records/request/request-fields'
import { metaNames } from '../../../records/request/source'
import { type Choice, plainChoices, SelectField } from '../../../ui/inputs'
import { NumberField } from '../../../ui/NumberField'
import { ColumnRows } from './ColumnRows'
import { t } from '../../../language/text'
import { ONE_OR_MORE } from '../../../ui/number'

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
        title={t('Group by')}
        none={t('none')}
        one={t('group key')}
        bins={[...bins, ...metaNames]}
        rows={group.by}
        onChange={(by) => onChange({ ...group, by })}
      />
      {group.by.length > 0 && (
        <div className="group-fields">
          <NumberField
            label={t('Maximum groups')}
            {...ONE_OR_MORE}
            placeholder={t('all')}
            value={group.top}
            onChange={(top) => onChange({ ...group, top: limitText(top) })}
          />
          <SelectField
            label={t('Order by figure')}
            value={group.order}
            choices={orders(figures, group.order)}
            onChange={(order) => onChange({ ...group, order })}
          />
          <SelectField
            label={t('Direction')}
            value={group.rising ? 'least' : 'greatest'}
            choices={[
              { value: 'greatest', label: t('largest first') },
              { value: 'least', label: t('smallest first') },
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
  const choices = [{ value: '', label: figures[0] ?? t('the first') }, ...plainChoices(figures.slice(1))]
  const known = order === '' || figures.includes(order)
  // Keep an explicit name, even if it is the default.
  const said = order !== '' && order === figures[0] ? [{ value: order, label: order }] : []
  return [...choices, ...said, ...(known ? [] : [{ value: order, label: t('{order} (not selected)', { order }) }])]
}
