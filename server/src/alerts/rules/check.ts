// What a schema cannot say about a rule.
import { GatewayError } from '../../errors.js'
import { checkTitle } from '../../requests/title.js'
import type { AlertRuleSpec } from '../../schemas/alerts/rules.js'
import { metricOf } from '../watch/metrics.js'
import { say } from '../../sentences/sentence.js'

export const hasOneCondition = ({ threshold, target }: AlertRuleSpec): boolean =>
  (threshold === undefined) !== (target === undefined)

/** @throws GatewayError `field_missing`, `field_invalid`, `alert_metric_unknown` */
export function checkRule({ name, threshold, target, namespace }: AlertRuleSpec): void {
  checkTitle(name)
  if (threshold === undefined && target === undefined)
    throw new GatewayError('field_missing', say('the rule needs threshold or target'), { field: 'threshold' })
  if (threshold === undefined) return
  if (target !== undefined)
    throw new GatewayError('field_invalid', say('a rule has threshold or target, not both'), { field: 'target' })
  const metric = metricOf(threshold.metric)
  if (metric === undefined)
    throw new GatewayError(
      'alert_metric_unknown',
      say('there is no metric "{metric}"', { metric: threshold.metric.slice(0, 64) }),
      {
        field: 'threshold.metric',
      },
    )
  for (const field of ['op', 'side', 'windowSeconds'] as const) {
    if (threshold[field] === undefined || metric.windowed) continue
    throw new GatewayError(
      'field_invalid',
      say('{metric} has no {field}; only latency and rates have one', { metric: metric.metric, field }),
      {
        field: `threshold.${field}`,
      },
    )
  }
  if (namespace !== undefined && metric.scope === 'server')
    throw new GatewayError(
      'field_invalid',
      say('{metric} is about the server; leave namespace out', { metric: metric.metric }),
      {
        field: 'namespace',
      },
    )
  const { when, value, resolveValue = value } = threshold
  if (when === 'above' ? resolveValue > value : resolveValue < value)
    throw new GatewayError(
      'field_invalid',
      when === 'above'
        ? say('resolveValue must be {value} or less, got {got}', { value: String(value), got: String(resolveValue) })
        : say('resolveValue must be {value} or more, got {got}', { value: String(value), got: String(resolveValue) }),
      { field: 'threshold.resolveValue' },
    )
}
