import { useBinNames } from '../../components/BinInput'
import { FilterBuilder } from '../../components/FilterBuilder'
import { NamespacePicker, SetPicker } from '../../components/pickers'
import { Button } from '../../ui/Button'
import { SelectField, TextField } from '../../ui/inputs'
import { type ScanForm, scanProblems } from './scan-form'

interface Props {
  ns: string
  set: string
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
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        onRun()
      }}
    >
      <NamespacePicker value={ns} onChange={(next) => onPlace({ ns: next })} />
      <SetPicker ns={ns} value={set} all onChange={(next) => onPlace({ ns, set: next === '' ? undefined : next })} />
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
      <div className="grid-2 pair">
        <TextField
          label="Limit"
          inputMode="numeric"
          value={form.limit}
          placeholder="all"
          onChange={(limit) => onForm({ limit })}
          error={problems.limit}
          hint="empty: all"
        />
        <TextField
          label="Bins"
          mono
          value={form.bins}
          placeholder="all"
          onChange={(names) => onForm({ bins: names })}
          hint="comma-separated"
        />
      </div>
      <FilterBuilder bins={bins} where={form.where} onChange={(where) => onForm({ where })} />
      <div className="row end">
        {running ? (
          <Button look="danger" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" look="primary" disabled={ns === '' || Object.keys(problems).length > 0}>
            Run scan
          </Button>
        )}
      </div>
    </form>
  )
}
