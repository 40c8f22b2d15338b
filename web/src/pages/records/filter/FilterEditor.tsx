import { Popover } from '@base-ui/react/popover'
import { useState, type ReactElement } from 'react'
import type { Asked } from '../../../records/found'
import {
  binProblem,
  emptyRow,
  type FilterOp,
  type FilterRow,
  filterOps,
  opLabels,
  rowProblem,
  takesPath,
  valueProblem,
} from '../../../records/request/filter'
import { metaNames } from '../../../records/request/source'
import type { WhereNode } from '../../../records/request/where'
import { Button } from '../../../ui/Button'
import { Field } from '../../../ui/Field'
import { SelectField, TextField } from '../../../ui/inputs'
import { SuggestInput } from '../../../ui/SuggestInput'
import { usePlan } from '../../query/plan/use-plan'
import { foundBody } from '../../../records/found'
import { PlanHint } from './PlanHint'
import { t } from '../../../language/text'
import { problemText } from '../../../api/problem'

const comparisons = filterOps.map((op) => ({ value: op, label: opLabels[op] }))

interface Props {
  ns: string
  set: string
  bins: readonly string[]
  /** the test that it changes; unset: a new one */
  row?: FilterRow
  /** the list as it would be with the test */
  askedWith: (chip: WhereNode) => Asked
  onApply: (chip: WhereNode) => void
  /** the button that opens it */
  button: ReactElement<Record<string, unknown>>
  label: string
}

/** One test of a filter in a popover. It says what the list will cost before it is applied. */
export function FilterEditor({ button, label, ...form }: Props) {
  const [open, setOpen] = useState(false)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger render={button} />
      <Popover.Portal>
        <Popover.Positioner className="popup-place" sideOffset={4} align="start">
          <Popover.Popup className="popup filter-editor" aria-label={label}>
            <Form {...form} onDone={() => setOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface FormProps extends Omit<Props, 'button' | 'label'> {
  onDone: () => void
}

/** Lives as long as the popover is open, so it begins with the test as it is. */
function Form({ ns, set, bins, row: first = emptyRow, askedWith, onApply, onDone }: FormProps) {
  const [row, setRow] = useState(first)
  const [tried, setTried] = useState(false)
  const chip: WhereNode = { kind: 'test', row }
  const complete = rowProblem(row) === undefined
  const { data: plan, error } = usePlan('query', ns, complete ? foundBody(set, askedWith(chip)) : '', complete)
  return (
    <form
      className="stack-small"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        setTried(true)
        if (!complete) return
        onApply(chip)
        onDone()
      }}
    >
      <Field label={t('Bin or metadata')} error={tried ? binProblem(row) : undefined}>
        {(control) => (
          <SuggestInput
            {...control}
            names={[...bins, ...metaNames]}
            value={row.bin}
            placeholder={t('bin or @size')}
            onChange={(bin) => setRow({ ...row, bin })}
          />
        )}
      </Field>
      {takesPath(row) && (
        <TextField
          label={t('Path inside the bin')}
          value={row.path}
          mono
          placeholder={t('optional, such as commits[*].author')}
          onChange={(path) => setRow({ ...row, path })}
        />
      )}
      <SelectField<FilterOp>
        label={t('Comparison')}
        value={row.op}
        choices={comparisons}
        onChange={(op) => setRow({ ...row, op })}
      />
      {row.op !== 'exists' && (
        <TextField
          label={t('Value')}
          value={row.value}
          mono
          error={tried ? valueProblem(row) : undefined}
          onChange={(value) => setRow({ ...row, value })}
        />
      )}
      <p className="plan-line" role="status">
        {complete && error === null && plan !== undefined && (
          <PlanHint ns={ns} set={set} asked={askedWith(chip)} plan={plan} />
        )}
        {complete && error !== null && <span className="small bad">{problemText(error)}</span>}
      </p>
      <div className="row end">
        <Button onClick={onDone}>{t('Cancel')}</Button>
        <Button type="submit" look="primary">
          {t('Apply')}
        </Button>
      </div>
    </form>
  )
}
