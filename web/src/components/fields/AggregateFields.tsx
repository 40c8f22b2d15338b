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
import { SuggestInput } from '../../ui/SuggestInput'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

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
  none = t('none: return the records'),
  some = t('instead of the records'),
  rows,
  onChange,
}: Props) {
  const names = [...bins, ...metaNumbers]
  const change = (at: number, part: Partial<AggregateRow>): void =>
    onChange(rows.map((row, other) => (other === at ? { ...row, ...part } : row)))
  return (
    <div className="stack-small">
      <div className="spread">
        <strong className="small">{t('Figures')}</strong>
        <span className="mute small">{rows.length === 0 ? none : some}</span>
      </div>
      {rows.map((row, at) => (
        <FieldRow key={at} errors={{ bin: aggregateBinProblem(row), buckets: bucketsProblem(row) }}>
          {(control) => (
            <div className="filter-row">
              <Select<AggregateOp>
                aria-label={t('Figure')}
                value={row.op}
                choices={plainChoices(aggregateOps)}
                onChange={(op) => change(at, { op })}
              />
              <SuggestInput
                aria-label={t('Bin or metadata of the figure')}
                {...control('bin')}
                names={names}
                placeholder={row.op === 'count' ? t('records') : t('bin or @size')}
                value={row.bin}
                onChange={(bin) => change(at, { bin })}
              />
              <Button
                look="quiet"
                aria-label={t('Remove this figure')}
                onClick={() => onChange(rows.filter((_, other) => other !== at))}
              >
                <Icon name="close" />
              </Button>
              {row.op === 'histogram' && (
                <input
                  className="input mono whole"
                  aria-label={t('Buckets: a width, bounds, or from..to/count')}
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
          <Say text="{icon}Add a figure" values={{ icon: <Icon name="plus" /> }} />
        </Button>
      </div>
    </div>
  )
}
