import { useId } from 'react'
import {
  aggregateBinProblem,
  type AggregateOp,
  type AggregateRow,
  aggregateOps,
  bucketsHint,
  bucketsProblem,
  emptyAggregate,
} from '../../records/request/aggregate'
import { metaNumbers } from '../../records/request/source'
import { Button } from '../../ui/Button'
import { FieldRow } from '../../ui/FieldRow'
import { Icon } from '../../ui/Icon'
import { plainChoices, Select } from '../../ui/inputs'

interface Props {
  bins: readonly string[]
  /** the meaning of no figures, and of some */
  none?: string
  some?: string
  rows: readonly AggregateRow[]
  onChange: (rows: AggregateRow[]) => void
}

/** Fields for figures instead of records. */
export function AggregateFields({
  bins,
  none = 'none: return the records',
  some = 'instead of the records',
  rows,
  onChange,
}: Props) {
  const list = useId()
  const change = (at: number, part: Partial<AggregateRow>): void =>
    onChange(rows.map((row, other) => (other === at ? { ...row, ...part } : row)))
  return (
    <div className="stack-small">
      <div className="spread">
        <strong className="small">Figures</strong>
        <span className="mute small">{rows.length === 0 ? none : some}</span>
      </div>
      <datalist id={list}>
        {[...bins, ...metaNumbers].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {rows.map((row, at) => (
        <FieldRow key={at} errors={{ bin: aggregateBinProblem(row), buckets: bucketsProblem(row) }}>
          {(control) => (
            <div className="filter-row">
              <Select<AggregateOp>
                aria-label="Figure"
                value={row.op}
                choices={plainChoices(aggregateOps)}
                onChange={(op) => change(at, { op })}
              />
              <input
                className="input mono"
                aria-label="Bin or metadata of the figure"
                {...control('bin')}
                list={list}
                placeholder={row.op === 'count' ? 'records' : 'bin or @size'}
                value={row.bin}
                onChange={(event) => change(at, { bin: event.target.value })}
              />
              <Button
                look="quiet"
                aria-label="Remove this figure"
                onClick={() => onChange(rows.filter((_, other) => other !== at))}
              >
                <Icon name="close" />
              </Button>
              {row.op === 'histogram' && (
                <input
                  className="input mono whole"
                  aria-label="Buckets: a width, bounds, or from..to/count"
                  {...control('buckets')}
                  placeholder={bucketsHint}
                  value={row.buckets}
                  onChange={(event) => change(at, { buckets: event.target.value })}
                />
              )}
            </div>
          )}
        </FieldRow>
      ))}
      <div>
        <Button small onClick={() => onChange([...rows, emptyAggregate])}>
          <Icon name="plus" />
          Add a figure
        </Button>
      </div>
    </div>
  )
}
