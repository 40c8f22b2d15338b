import { AggregateFields } from '../../components/fields/AggregateFields'
import { AmountFields } from '../../components/fields/AmountFields'
import { useBinNames } from '../../components/fields/use-sample'
import { FilterBuilder } from '../../components/fields/FilterBuilder'
import { NamespacePicker, SetPicker } from '../../components/fields/pickers'
import { RunForm } from '../../components/fields/RunForm'
import type { ReportUnsaid } from '../../components/fields/use-unsaid'
import { SelectField } from '../../ui/inputs'
import { NumberField } from '../../ui/NumberField'
import { ONE_OR_MORE, THREADS } from '../../ui/number'
import { hasLimit, type ScanForm, scanProblems, SHARE } from './scan-form'
import { t } from '../../language/text'

interface Props {
  ns: string
  set: string | undefined
  form: ScanForm
  cpus: number
  /** whether the form is complete */
  valid: boolean
  running: boolean
  /** the engine's objection to the plan */
  refused: string | undefined
  onPlace: (place: { ns: string; set?: string | undefined }) => void
  onForm: (part: Partial<ScanForm>) => void
  onUnsaid: ReportUnsaid
  onRun: () => void
  onStop: () => void
}

const useIndexChoices = [
  { value: 'auto', label: t('auto: if it is the cheapest') },
  { value: 'force', label: t('force: always') },
  { value: 'never', label: t('never: do not use it') },
] as const

const planChoices = [
  { value: 'auto', label: t('auto: the cheapest') },
  { value: 'set-index', label: t('set-index: use the set index') },
  { value: 'set-column', label: t('set-column: check every slot') },
  { value: 'device', label: t('device: read all blocks in order') },
] as const

const sampleChoices = [
  { value: 'all', label: t('all records') },
  { value: 'share', label: t('a share') },
  { value: 'first', label: t('the first') },
] as const

/** What to scan and how. */
export function ScanFields({
  ns,
  set,
  form,
  cpus,
  valid,
  running,
  refused,
  onPlace,
  onForm,
  onUnsaid,
  onRun,
  onStop,
}: Props) {
  const problems = scanProblems(form)
  const bins = useBinNames(ns, set)
  return (
    <RunForm
      action={t('Run scan')}
      valid={valid && refused === undefined}
      running={running}
      onRun={onRun}
      onStop={onStop}
    >
      <NamespacePicker value={ns} onChange={(next) => onPlace({ ns: next })} />
      <SetPicker ns={ns} value={set} absent="all sets" onChange={(next) => onPlace({ ns, set: next })} />
      <div className="grid-2 pair">
        <NumberField
          label={t('Threads')}
          {...THREADS}
          value={form.threads}
          placeholder={String(cpus)}
          onChange={(threads) => onForm({ threads })}
          error={problems.threads}
          hint={t('1 to 128')}
        />
        <NumberField
          label={t('Records per second')}
          {...ONE_OR_MORE}
          value={form.recordsPerSecond}
          placeholder={t('no throttle')}
          onChange={(recordsPerSecond) => onForm({ recordsPerSecond })}
          error={problems.recordsPerSecond}
        />
      </div>
      <SelectField
        label={t('Set index')}
        value={form.useIndex}
        choices={useIndexChoices}
        onChange={(useIndex) => onForm({ useIndex })}
      />
      <SelectField
        label={t('Plan')}
        value={form.plan}
        choices={planChoices}
        onChange={(plan) => onForm({ plan })}
        error={refused}
      />
      <div className={form.sample === 'share' ? 'grid-3 pair' : 'grid-2 pair'}>
        <SelectField
          label={t('Sample')}
          value={form.sample}
          choices={sampleChoices}
          onChange={(sample) => onForm({ sample })}
        />
        {form.sample !== 'all' && (
          <NumberField
            label={form.sample === 'share' ? t('Percent') : t('Records')}
            {...(form.sample === 'share' ? SHARE : ONE_OR_MORE)}
            value={form.part}
            onChange={(part) => onForm({ part })}
            error={problems.part}
          />
        )}
        {form.sample === 'share' && (
          <NumberField
            label={t('Seed')}
            value={form.seed}
            onChange={(seed) => onForm({ seed })}
            error={problems.seed}
          />
        )}
      </div>
      <AmountFields
        disabled={!hasLimit(form)}
        limit={form.limit}
        bins={form.bins}
        problem={problems.limit}
        onLimit={(limit) => onForm({ limit })}
        onBins={(names) => onForm({ bins: names })}
      />
      <AggregateFields bins={bins} rows={form.aggregates} onChange={(aggregates) => onForm({ aggregates })} />
      <FilterBuilder bins={bins} where={form.where} onChange={(where) => onForm({ where })} onUnsaid={onUnsaid} />
    </RunForm>
  )
}
