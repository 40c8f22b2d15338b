// Answers of a running gateway, shortened: alerts.

export const alertRuleSpec = {
  name: 'Slow writes',
  severity: 'warning' as const,
  threshold: {
    metric: 'latency.p99',
    op: 'writes' as const,
    when: 'above' as const,
    value: 20,
    forSeconds: 60,
    resolveValue: 10,
  },
}

export const alertRule = {
  id: '0mwuurgcxcbe8f5',
  ...alertRuleSpec,
  createdAt: '2026-11-26T11:20:31.002Z',
  updatedAt: '2026-11-26T11:20:31.002Z',
  who: 'token',
}

const said = {
  message: '{rule}: {standing}',
  values: {
    rule: 'Slow writes',
    standing: {
      message: '{what} is {value}, above {limit}',
      values: {
        what: {
          message: '{metric} of {whose}',
          values: {
            metric: { message: 'the p99 latency' },
            whose: { message: '{what} of {whose}', values: { what: { message: 'writes' }, whose: 'shop' } },
          },
        },
        value: { amount: 31.4, unit: 'ms' },
        limit: { amount: 20, unit: 'ms' },
      },
    },
  },
}

export const alert = {
  ruleId: '0mwuurgcxcbe8f5',
  rule: 'Slow writes',
  severity: 'warning' as const,
  namespace: 'shop',
  state: 'firing' as const,
  since: '2026-11-26T11:20:31.002Z',
  text: 'Slow writes: the p99 latency of writes of shop is 31.4 ms, above 20 ms',
  said,
  value: 31.4,
  muted: false,
}

export const alertEvent = {
  id: '0mwuurgcxcbe8f6',
  at: '2026-11-26T11:20:31.002Z',
  kind: 'firing' as const,
  ruleId: '0mwuurgcxcbe8f5',
  rule: 'Slow writes',
  severity: 'warning' as const,
  namespace: 'shop',
  text: 'Slow writes: the p99 latency of writes of shop is 31.4 ms, above 20 ms',
  said,
  value: 31.4,
  muted: false,
  delivery: { state: 'delivered' as const, attempts: 1, status: 200 },
}
