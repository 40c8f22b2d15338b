import { useId } from 'react'
import { type Order, orderProblem } from '../../../records/request/request-fields'
import { metaNames } from '../../../records/request/source'
import { FieldRow } from '../../../ui/FieldRow'
import { Select } from '../../../ui/inputs'

interface Props {
  bins: readonly string[]
  order: Order
  onChange: (order: Order) => void
}

/** The order of the records; none: in the order found. */
export function OrderFields({ bins, order, onChange }: Props) {
  const list = useId()
  return (
    <div className="stack-small">
      <div className="spread">
        <strong className="small">Order</strong>
        <span className="mute small">{order.bin === '' ? 'none: in the order found' : ''}</span>
      </div>
      <datalist id={list}>
        {[...bins, ...metaNames].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <FieldRow errors={{ bin: orderProblem(order) }}>
        {(control) => (
          <div className="column-row">
            <input
              className="input mono"
              aria-label="Order by bin or metadata"
              {...control('bin')}
              list={list}
              placeholder="bin or @size"
              value={order.bin}
              onChange={(event) => onChange({ ...order, bin: event.target.value })}
            />
            <input
              className="input mono"
              aria-label="Order by path in the bin"
              placeholder="path"
              value={order.path}
              onChange={(event) => onChange({ ...order, path: event.target.value })}
            />
            <Select
              aria-label="Direction of the order"
              value={order.desc ? 'desc' : 'asc'}
              choices={[
                { value: 'asc', label: 'ascending' },
                { value: 'desc', label: 'descending' },
              ]}
              onChange={(next) => onChange({ ...order, desc: next === 'desc' })}
            />
          </div>
        )}
      </FieldRow>
    </div>
  )
}
