import { AmountFields } from '../../components/AmountFields'
import { useBinNames } from '../../components/BinInput'
import { FilterBuilder } from '../../components/FilterBuilder'
import { NamespacePicker, SetPicker } from '../../components/pickers'
import { RunForm } from '../../components/RunForm'
import { SelectField, TextField } from '../../ui/inputs'
import { type ScanForm, scanProblems } from './scan-form'

interface Props {
  ns: string
  set: string | undefined
  form: ScanForm
  cpus: number
  running: boolean
  onPlace: (place: { ns: string; set?: string | undefined }) => void
  onForm: (part: Partial<ScanForm>) => void
  onRun: () => void
  onStop: () => void
}

const useIndexChoices = [
  { value: 'auto', label: 'auto: the cheaper way' },
  { value: 'force', label: 'force: only with its index' },
  { value: 'never', label: 'never: read the set column' },
] as const

/** What to scan and how. */
export function ScanFields({ ns, set, form, cpus, running, onPlace, onForm, onRun, onStop }: Props) {
  const problems = scanProblems(form)
  const bins = useBinNames(ns, set)
  return (
    <RunForm
      action="Run scan"
      valid={Object.keys(problems).length === 0}
      running={running}
      onRun={onRun}
      onStop={onStop}
    >
      <NamespacePicker value={ns} onChange={(next) => onPlace({ ns: next })} />
      <SetPicker ns={ns} value={set} absent="all sets" onChange={(next) => onPlace({ ns, set: next })} />
      <div className="grid-2 pair">
        <TextField
          label="Threads"
          inputMode="numeric"
          value={form.threads}
          placeholder={String(cpus)}
          onChange={(threads) => onForm({ threads })}
          error={problems.threads}
          hint="1 to 128"
        />
        <TextField
          label="Records a second"
          inputMode="numeric"
          value={form.recordsPerSecond}
          placeholder="no throttle"
          onChange={(recordsPerSecond) => onForm({ recordsPerSecond })}
          error={problems.recordsPerSecond}
        />
      </div>
      <SelectField
        label="Set index"
        value={form.useIndex}
        choices={useIndexChoices}
        onChange={(useIndex) => onForm({ useIndex })}
      />
      <AmountFields
        limit={form.limit}
        bins={form.bins}
        problem={problems.limit}
        onLimit={(limit) => onForm({ limit })}
        onBins={(names) => onForm({ bins: names })}
      />
      <FilterBuilder bins={bins} where={form.where} onChange={(where) => onForm({ where })} />
    </RunForm>
  )
}
