import { AmountFields } from '../../components/AmountFields'
import { useBinNames } from '../../components/BinInput'
import { FilterBuilder } from '../../components/FilterBuilder'
import { NamespacePicker, SetPicker } from '../../components/pickers'
import { RunForm } from '../../components/RunForm'
import { TextField } from '../../ui/inputs'
import type { QueryForm, queryProblems } from './query-form'
import type { QuerySearch } from './search'

interface Props {
  ns: string
  set: string | undefined
  where: string
  /** of the set, where it has one */
  distributionBin: string | undefined
  form: QueryForm
  problems: ReturnType<typeof queryProblems>
  running: boolean
  onSearch: (part: QuerySearch) => void
  onForm: (part: Partial<QueryForm>) => void
  onRun: () => void
  onStop: () => void
}

/** Where to look, what to look for, how much to bring. */
export function QueryFields({
  ns,
  set,
  where,
  distributionBin,
  form,
  problems,
  running,
  onSearch,
  onForm,
  onRun,
  onStop,
}: Props) {
  const bins = useBinNames(ns, set)
  return (
    <RunForm
      action="Run query"
      valid={Object.keys(problems).length === 0}
      running={running}
      onRun={onRun}
      onStop={onStop}
    >
      <NamespacePicker value={ns} onChange={(next) => onSearch({ ns: next, set: undefined })} />
      <SetPicker ns={ns} value={set} absent="all sets" onChange={(next) => onSearch({ set: next })} />
      <FilterBuilder
        bins={bins}
        where={where}
        onChange={(text) => onSearch({ where: text === '' ? undefined : text })}
      />
      {distributionBin !== undefined && (
        <TextField
          label={
            <>
              Route: value of <code>{distributionBin}</code>
            </>
          }
          mono
          value={form.route}
          placeholder="ask all segments"
          onChange={(route) => onForm({ route })}
          hint="Only the segment of this value is asked; numbers as they are, text that looks like one in quotes"
        />
      )}
      <AmountFields
        limit={form.limit}
        bins={form.select}
        problem={problems.limit}
        onLimit={(limit) => onForm({ limit })}
        onBins={(select) => onForm({ select })}
      />
    </RunForm>
  )
}
