import type { AlertMetric, AlertRule, AlertRuleSpec } from '../../api/types'
import { withinText } from '../../components/alerts/alert-words'
import { bytes, latencyEdge } from '../../format'
import { OPERATIONS } from '../../live/filter'
import { t } from '../../language/text'
import { type Bounds, boundsWords, isWithin } from '../../ui/number'

/** A rule as its form holds it: text as it was typed. */
export interface RuleForm {
  name: string
  severity: AlertRuleSpec['severity']
  enabled: boolean
  /** empty: each namespace */
  namespace: string
  kind: 'threshold' | 'target'
  metric: string
  op: string
  side: string
  windowSeconds: string
  when: 'above' | 'below'
  value: string
  forSeconds: string
  resolveValue: string
  resolveForSeconds: string
  percent: string
  withinUs: string
}

export const ops = ['all', ...OPERATIONS] as const

export const withinChoices = [50, 100, 250, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000, 1_000_000].map((us) => ({
  value: String(us),
  label: withinText(us),
}))

const empty: RuleForm = {
  name: '',
  severity: 'warning',
  enabled: true,
  namespace: '',
  kind: 'threshold',
  metric: 'latency.p99',
  op: 'all',
  side: 'engine',
  windowSeconds: '60',
  when: 'above',
  value: '',
  forSeconds: '60',
  resolveValue: '',
  resolveForSeconds: '60',
  percent: '99',
  withinUs: '1000',
}

const shown = (value: number | undefined, unset: string): string => (value === undefined ? unset : String(value))

export function formOf(rule: AlertRuleSpec | undefined): RuleForm {
  if (rule === undefined) return empty
  const { name, severity, enabled = true, namespace = '', threshold, target } = rule
  return {
    ...empty,
    name,
    severity,
    enabled,
    namespace,
    kind: target === undefined ? 'threshold' : 'target',
    op: threshold?.op ?? target?.op ?? 'all',
    side: threshold?.side ?? target?.side ?? 'engine',
    ...(threshold !== undefined && {
      metric: threshold.metric,
      windowSeconds: shown(threshold.windowSeconds, '60'),
      when: threshold.when,
      value: String(threshold.value),
      forSeconds: String(threshold.forSeconds),
      resolveValue: shown(threshold.resolveValue, ''),
      resolveForSeconds: shown(threshold.resolveForSeconds, '60'),
    }),
    ...(target !== undefined && { percent: String(target.percent), withinUs: String(target.withinUs) }),
  }
}

export type RuleErrors = Partial<Record<keyof RuleForm, string>>

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text))
export const WINDOW: Bounds = { min: 1, max: 300 }
export const LASTING: Bounds = { min: 0, max: 86_400 }
export const PERCENT: Bounds = { min: 50, max: 99.999, decimal: true }

/** What is wrong, by field. */
export function errorsOf(form: RuleForm, windowed: boolean): RuleErrors {
  const errors: RuleErrors = {}
  if (form.name === '') errors.name = 'A name'
  if (form.kind === 'target') {
    if (!isWithin(form.percent, PERCENT)) errors.percent = boundsWords(PERCENT)
    return errors
  }
  if (!isNumber(form.value)) errors.value = t('A number')
  if (!isWithin(form.forSeconds, LASTING)) errors.forSeconds = boundsWords(LASTING)
  if (!isWithin(form.resolveForSeconds, LASTING)) errors.resolveForSeconds = boundsWords(LASTING)
  if (windowed && !isWithin(form.windowSeconds, WINDOW)) errors.windowSeconds = boundsWords(WINDOW)
  if (form.resolveValue !== '') {
    const [edge, limit] = [Number(form.resolveValue), Number(form.value)]
    if (!isNumber(form.resolveValue)) errors.resolveValue = t('A number, or empty')
    else if (form.when === 'above' ? edge > limit : edge < limit)
      errors.resolveValue =
        form.when === 'above'
          ? t('{value} or less', { value: form.value })
          : t('{value} or more', { value: form.value })
  }
  return errors
}

/** The body of the request. What the form cannot be asked about in this kind is left out. */
export function specOf(form: RuleForm, metric: Pick<AlertMetric, 'scope' | 'windowed'> | undefined): AlertRuleSpec {
  const op = form.op as (typeof ops)[number]
  const side = form.side as 'engine' | 'gateway'
  const withinUs = Number(form.withinUs) as NonNullable<AlertRuleSpec['target']>['withinUs']
  const ofServer = form.kind === 'threshold' && metric?.scope === 'server'
  return {
    name: form.name,
    severity: form.severity,
    ...(!form.enabled && { enabled: false }),
    ...(form.namespace !== '' && !ofServer && { namespace: form.namespace }),
    ...(form.kind === 'target'
      ? { target: { op, side, percent: Number(form.percent), withinUs } }
      : {
          threshold: {
            metric: form.metric,
            ...(metric?.windowed === true && { op, side, windowSeconds: Number(form.windowSeconds) }),
            when: form.when,
            value: Number(form.value),
            forSeconds: Number(form.forSeconds),
            ...(form.resolveValue !== '' && { resolveValue: Number(form.resolveValue) }),
            resolveForSeconds: Number(form.resolveForSeconds),
          },
        }),
  }
}

/** The condition of a rule in a few words; `metric` is the one that it watches, with its unit. */
export function conditionWords({ threshold, target }: AlertRule, metric?: AlertMetric): string {
  if (target !== undefined) {
    return t('{percent}% of {op} within {withinUs}, by burn rate', {
      percent: target.percent,
      op: target.op ?? t('all'),
      withinUs: withinText(target.withinUs),
    })
  }
  if (threshold === undefined) return ''
  const { op, when, value, forSeconds } = threshold
  const what = op === undefined ? threshold.metric : t('{metric} of {op}', { metric: threshold.metric, op })
  const values = { what, when, forSeconds }
  // A flag is 0 or 1, so all values between mean the same.
  if (metric?.unit === 'flag' && value > 0 && value < 1)
    return t('{what} is {flag}{forSeconds, plural, =0 {} other { for {forSeconds} s}}', {
      ...values,
      flag: when === 'above' ? 1 : 0,
    })
  return t(
    '{what} {when, select, above {above} other {below}} {amount}{forSeconds, plural, =0 {} other { for {forSeconds} s}}',
    { ...values, amount: amountText(value, metric?.unit) },
  )
}

function amountText(value: number, unit: AlertMetric['unit'] | undefined): string {
  if (unit === 'bytes') return bytes(value)
  if (unit === 'ms') return latencyEdge(Math.round(value * 1e6))
  return `${value}${unit === 'percent' ? '%' : unit === 'per second' ? '/s' : ''}`
}
