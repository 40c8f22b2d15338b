import { type Order, orderProblem } from '../../../records/request/request-fields'
import { metaNames } from '../../../records/request/source'
import { FieldRow } from '../../../ui/FieldRow'
import { Select } from '../../../ui/inputs'
import { SuggestInput } from '../../../ui/SuggestInput'
import { t } from '../../../language/text'

interface Props {
  bins: readonly string[]
  order: Order
  onChange: (order: Order) => void
}

/** The order of the records; none: in the order found. */
export function OrderFields({ bins, order, onChange }: Props) {
  return (
    <div className="stack-small">
      <div className="spread">
        <strong className="small">{t('Order')}</strong>
        <span className="mute small">{order.bin === '' ? t('none: in the order found') : ''}</span>
      </div>
      <FieldRow errors={{ bin: orderProblem(order) }}>
        {(control) => (
          <div className="column-row">
            <SuggestInput
              aria-label={t('Order by bin or metadata')}
              {...control('bin')}
              names={[...bins, ...metaNames]}
              placeholder={t('bin or @size')}
              value={order.bin}
              onChange={(bin) => onChange({ ...order, bin })}
            />
            <input
              className="input mono"
              aria-label={t('Order by path in the bin')}
              placeholder={t('path')}
              value={order.path}
              onChange={(event) => onChange({ ...order, path: event.target.value })}
            />
            <Select
              aria-label={t('Direction of the order')}
              value={order.desc ? 'desc' : 'asc'}
              choices={[
                { value: 'asc', label: t('ascending') },
                { value: 'desc', label: t('descending') },
              ]}
              onChange={(next) => onChange({ ...order, desc: next === 'desc' })}
            />
          </div>
        )}
      </FieldRow>
    </div>
  )
}
