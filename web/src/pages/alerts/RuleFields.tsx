import { useQuery } from '@tanstack/react-query'
import { namespacesQuery } from '../../api/queries'
import type { AlertMetric } from '../../api/types'
import { plainChoices, wordChoices, SelectField } from '../../ui/inputs'
import { NumberField } from '../../ui/NumberField'
import { LASTING, PERCENT, WINDOW, ops, type RuleErrors, type RuleForm, withinChoices } from './rule-form'
import { t } from '../../language/text'
import { operationWords, unitWords } from '../../components/api-words'
import { serverText } from '../../language/server-text'

interface Props {
  form: RuleForm
  errors: RuleErrors
  onChange: (part: Partial<RuleForm>) => void
}

/** A metric, the value that it must not pass, and for how long. */
export function ThresholdFields({ form, errors, metrics, onChange }: Props & { metrics: readonly AlertMetric[] }) {
  const metric = metrics.find((one) => one.metric === form.metric)
  const unit = metric === undefined ? '' : metric.unit === 'flag' ? t('1 or 0') : unitWords(metric.unit)
  const names = metrics.length === 0 ? [form.metric] : metrics.map((one) => one.metric)
  return (
    <>
      <SelectField
        label={t('Metric')}
        value={form.metric}
        choices={plainChoices(names)}
        hint={metric && serverText(metric.description)}
        onChange={(name) => onChange({ metric: name })}
      />
      {metric?.windowed === true && (
        <div className="grid-2">
          <OpFields form={form} onChange={onChange} />
          <NumberField
            label={t('Window, seconds')}
            {...WINDOW}
            value={form.windowSeconds}
            error={errors.windowSeconds}
            onChange={(windowSeconds) => onChange({ windowSeconds })}
          />
        </div>
      )}
      <div className="grid-2">
        <SelectField
          label={t('Fires when it is')}
          value={form.when}
          choices={[
            { value: 'above', label: t('above') },
            { value: 'below', label: t('below') },
          ]}
          onChange={(when) => onChange({ when })}
        />
        <NumberField
          label={unit === '' ? t('Value') : t('Value, {unit}', { unit })}
          decimal
          value={form.value}
          error={form.value === '' ? undefined : errors.value}
          onChange={(value) => onChange({ value })}
        />
        <NumberField
          label={t('For at least, seconds')}
          {...LASTING}
          value={form.forSeconds}
          error={errors.forSeconds}
          onChange={(forSeconds) => onChange({ forSeconds })}
        />
        <NumberField
          label={t('Ends at')}
          decimal
          placeholder={form.value}
          hint={t('Empty: the same value')}
          value={form.resolveValue}
          error={errors.resolveValue}
          onChange={(resolveValue) => onChange({ resolveValue })}
        />
        <NumberField
          label={t('Ends after, seconds')}
          {...LASTING}
          value={form.resolveForSeconds}
          error={errors.resolveForSeconds}
          onChange={(resolveForSeconds) => onChange({ resolveForSeconds })}
        />
      </div>
    </>
  )
}

/** Which share of the operations must end within which time. */
export function TargetFields({ form, errors, onChange }: Props) {
  return (
    <>
      <div className="grid-2">
        <OpFields form={form} onChange={onChange} />
        <SelectField
          label={t('Within')}
          value={form.withinUs}
          choices={withinChoices}
          onChange={(withinUs) => onChange({ withinUs })}
        />
        <NumberField
          label={t('Target, percent')}
          {...PERCENT}
          value={form.percent}
          error={errors.percent}
          onChange={(percent) => onChange({ percent })}
        />
      </div>
      <p className="mute small">
        {t(
          'Fires while misses spend the budget 14.4 times too fast for an hour, 6 times for 6 hours, or faster than allowed for 3 days.',
        )}
      </p>
    </>
  )
}

/** Every namespace, or one. */
export function WhereFields({ form, onChange }: Omit<Props, 'errors'>) {
  const names = (useQuery(namespacesQuery()).data?.items ?? []).map(({ name }) => name)
  const known = form.namespace === '' || names.includes(form.namespace) ? names : [form.namespace, ...names]
  return (
    <SelectField
      label={t('Namespace')}
      value={form.namespace}
      choices={[{ value: '', label: t('each namespace') }, ...plainChoices(known)]}
      onChange={(namespace) => onChange({ namespace })}
    />
  )
}

function OpFields({ form, onChange }: Omit<Props, 'errors'>) {
  return (
    <>
      <SelectField
        label={t('Operations')}
        value={form.op}
        choices={wordChoices(ops, operationWords)}
        onChange={(op) => onChange({ op })}
      />
      <SelectField
        label={t('Measured in')}
        value={form.side}
        choices={[
          { value: 'engine', label: t('the engine') },
          { value: 'gateway', label: t('the gateway, HTTP included') },
        ]}
        onChange={(side) => onChange({ side })}
      />
    </>
  )
}
