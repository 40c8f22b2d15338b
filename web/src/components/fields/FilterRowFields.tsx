import {
  binProblem,
  type FilterOp,
  type FilterRow,
  filterOps,
  isBlank,
  opLabels,
  takesPath,
  valueProblem,
} from '../../records/request/filter'
import { metaNames } from '../../records/request/source'
import { Button } from '../../ui/Button'
import { FieldRow } from '../../ui/FieldRow'
import { Icon } from '../../ui/Icon'
import { Select } from '../../ui/inputs'
import { SuggestInput } from '../../ui/SuggestInput'
import { t } from '../../language/text'

const comparisons = filterOps.map((op) => ({ value: op, label: opLabels[op] }))

interface Props {
  bins: string[]
  row: FilterRow
  onChange: (row: FilterRow) => void
  onRemove: () => void
}

/** One condition: bin, comparison, value. */
export function FilterRowFields({ bins, row, onChange, onRemove }: Props) {
  // A blank row is left out of the request.
  const errors = isBlank(row) ? {} : { bin: binProblem(row), value: valueProblem(row) }
  return (
    <FieldRow<'bin' | 'value'> errors={errors}>
      {(control) => (
        <div className="filter-row">
          <SuggestInput
            aria-label={t('Bin or metadata')}
            {...control('bin')}
            names={[...bins, ...metaNames]}
            placeholder={t('bin or @size')}
            value={row.bin}
            onChange={(bin) => onChange({ ...row, bin })}
          />
          <Select<FilterOp>
            aria-label={t('Comparison')}
            value={row.op}
            choices={comparisons}
            onChange={(op) => onChange({ ...row, op })}
          />
          <Button look="quiet" aria-label={t('Remove this condition')} onClick={onRemove}>
            <Icon name="close" />
          </Button>
          {takesPath(row) && (
            <input
              className="input mono"
              aria-label={t('Path inside the bin')}
              placeholder={t('path (optional)')}
              value={row.path}
              onChange={(event) => onChange({ ...row, path: event.target.value })}
            />
          )}
          {row.op !== 'exists' && (
            <input
              className={`input mono ${takesPath(row) ? '' : 'whole'}`}
              aria-label={t('Value')}
              {...control('value')}
              placeholder={
                row.op === 'contains'
                  ? t(`'{'"commits":['{'"author":'{'"email":"test@gmail.com"'}''}']'}'`)
                  : t('value')
              }
              value={row.value}
              onChange={(event) => onChange({ ...row, value: event.target.value })}
            />
          )}
        </div>
      )}
    </FieldRow>
  )
}
