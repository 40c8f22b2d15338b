// Alert rules: what they watch, and when they fire.
import { type Static, Type } from 'typebox'
import { alertRule, alertRuleSpec } from '../examples/alerts.js'
import { page } from '../pages.js'
import { sloEdgesNs } from '../server/metrics.js'
import { moment, text, timestamp } from '../quantities.js'
import { choice, NamespaceName, Title } from '../words.js'
import { owner } from '../kept.js'

/** Most rules. */
export const RULES_MAX = 100
const DAY_SECONDS = 86_400

export const Severity = choice(['warning', 'critical'], {
  description: '`critical`: the health of the server is bad while it fires. `warning`: it needs attention.',
})
export type Severity = Static<typeof Severity>

export const AlertOp = choice(
  ['all', 'reads', 'writes', 'get', 'put', 'update', 'delete', 'batch', 'scan', 'query', 'index-lookup'],
  {
    description:
      'Operations that count. `reads`: get, scan, query and index-lookup. `writes`: put, update and delete. ' +
      '`all`: every operation. Default: `all`.',
  },
)
export type AlertOp = Static<typeof AlertOp>

const Side = choice(['engine', 'gateway'], {
  description: 'Where latency is measured, as in `LatencySeries`. Default: `engine`.',
})

export const AlertThreshold = Type.Object(
  {
    metric: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'A metric of `GET /api/v1/alerts/metrics`.',
      examples: ['latency.p99'],
    }),
    op: Type.Optional(AlertOp),
    side: Type.Optional(Side),
    windowSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 300,
        description:
          'Only for latency and rates: the last seconds that they are made of, 1 to 300. Default: 60. Other metrics ' +
          'have their newest value.',
      }),
    ),
    when: choice(['above', 'below'], { description: 'On which side of `value` the rule fires.' }),
    value: Type.Number({ description: 'The threshold, in the unit of the metric.' }),
    forSeconds: Type.Integer({
      minimum: 0,
      maximum: DAY_SECONDS,
      description: 'How long the condition must hold before the rule fires, in seconds. 0: at once.',
    }),
    resolveValue: Type.Optional(
      Type.Number({
        description: 'An alert that fires is resolved on the other side of this value. Default: `value`.',
      }),
    ),
    resolveForSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: DAY_SECONDS,
        description: 'How long that must hold, in seconds. Default: 60.',
      }),
    ),
  },
  { title: 'AlertThreshold', description: 'Fires while a metric is beyond a value.', additionalProperties: false },
)
export type AlertThreshold = Static<typeof AlertThreshold>

export const AlertTarget = Type.Object(
  {
    op: Type.Optional(AlertOp),
    side: Type.Optional(Side),
    percent: Type.Number({
      minimum: 50,
      maximum: 99.999,
      description: 'Share of the operations that must succeed within `withinUs`, in percent.',
    }),
    withinUs: Type.Integer({
      enum: sloEdgesNs.map((edge) => edge / 1000),
      description: 'Latency target, in microseconds. Operations within one of these are counted exactly.',
      examples: [1000],
    }),
  },
  {
    title: 'AlertTarget',
    description:
      'A latency target. Fires while misses spend its budget at least 14.4 times (over 1 h and 5 min), 6 times (over ' +
      '6 h and 30 min) or once (over 3 days and 6 h) as fast as the target allows.',
    additionalProperties: false,
  },
)
export type AlertTarget = Static<typeof AlertTarget>

const ruleFields = {
  name: Title(120),
  enabled: Type.Optional(Type.Boolean({ description: 'False: the rule is not evaluated. Default: true.' })),
  severity: Severity,
  namespace: Type.Optional({
    ...NamespaceName,
    description: 'Only this namespace. Unset: each namespace has an alert of its own.',
  }),
  threshold: Type.Optional(AlertThreshold),
  target: Type.Optional(AlertTarget),
}

export const AlertRuleSpec = Type.Object(ruleFields, {
  title: 'AlertRuleSpec',
  description: 'A rule to keep. It has either `threshold` or `target`.',
  additionalProperties: false,
  examples: [alertRuleSpec],
})
export type AlertRuleSpec = Static<typeof AlertRuleSpec>

export const AlertRule = Type.Object(
  {
    id: text('Id of the rule.'),
    ...ruleFields,
    ...owner,
    createdAt: timestamp('When it was created'),
    updatedAt: timestamp('When it was changed last'),
    who: text(
      'Who changed it last: `token`, `token:NAME`, `user:NAME`, `console`, `local`, or `default` for a new server.',
    ),
    mutedUntil: Type.Optional(timestamp('Until when it sends no notices', 'Unset if it is not muted.')),
  },
  { title: 'AlertRule', description: 'A rule.', examples: [alertRule] },
)
export type AlertRule = Static<typeof AlertRule>

export const AlertRulePage = page(AlertRule, 'AlertRulePage', 'alert rules')

export const AlertMute = Type.Object(
  {
    until: moment(
      'Until when the rule sends no notices: RFC 3339, in the future, at most a year ahead.',
      '2027-01-31T12:00:00Z',
    ),
  },
  {
    title: 'AlertMute',
    description: 'How long a rule is muted.',
    additionalProperties: false,
    examples: [{ until: '2027-01-31T12:00:00Z' }],
  },
)

export const AlertMetric = Type.Object(
  {
    metric: text('Name of the metric.'),
    unit: choice(['ms', 'percent', 'bytes', 'per second', 'count', 'flag'], {
      description: 'Its unit. `flag`: 1 or 0.',
    }),
    scope: choice(['server', 'namespace', 'disk'], {
      description: 'What has a value of it, and so an alert of its own.',
    }),
    windowed: Type.Boolean({ description: 'True if it is made of the last `windowSeconds`.' }),
    description: text('What it says.'),
  },
  {
    title: 'AlertMetric',
    description: 'A metric that rules can watch.',
    examples: [
      {
        metric: 'latency.p99',
        unit: 'ms',
        scope: 'namespace',
        windowed: true,
        description: '99th percentile of the latency.',
      },
    ],
  },
)
export type AlertMetric = Static<typeof AlertMetric>

export const AlertMetricList = Type.Object(
  { items: Type.Array(AlertMetric, { description: 'All metrics.' }) },
  {
    title: 'AlertMetricList',
    description: 'The metrics that rules can watch.',
    examples: [
      {
        items: [
          {
            metric: 'latency.p99',
            unit: 'ms',
            scope: 'namespace',
            windowed: true,
            description: '99th percentile of the latency.',
          },
        ],
      },
    ],
  },
)
