// The rules of a new server. They are ordinary rules: people change and delete them.
import type { AlertRuleSpec, AlertThreshold } from '../../schemas/alerts/rules.js'

const flag = (metric: string, forSeconds: number): AlertThreshold => ({
  metric,
  when: 'above',
  value: 0.5,
  forSeconds,
  resolveForSeconds: 10,
})

export const defaultRules: Readonly<Record<string, AlertRuleSpec>> = {
  'reads-within-1-ms': {
    name: 'Reads within 1 ms',
    severity: 'warning',
    target: { op: 'get', percent: 99, withinUs: 1000 },
  },
  'namespace-failed': { name: 'Namespace failed', severity: 'critical', threshold: flag('namespace.failed', 0) },
  'writes-stopped': { name: 'Writes stopped', severity: 'critical', threshold: flag('namespace.writesStopped', 5) },
  'namespace-nearly-full': {
    name: 'Namespace nearly full',
    severity: 'warning',
    threshold: {
      metric: 'namespace.usedPercent',
      when: 'above',
      value: 85,
      forSeconds: 60,
      resolveValue: 80,
    },
  },
  'data-disk-nearly-full': {
    name: 'Disk of the data directory nearly full',
    severity: 'warning',
    threshold: { metric: 'dataDisk.usedPercent', when: 'above', value: 90, forSeconds: 60, resolveValue: 88 },
  },
  'data-directory-failed': {
    name: 'Data directory takes no writes',
    severity: 'critical',
    threshold: flag('dataDirectory.failed', 0),
  },
  'history-not-written': {
    name: 'History of metrics not written',
    severity: 'warning',
    threshold: flag('history.failed', 30),
  },
  'requests-refused': {
    name: 'Requests refused because of overload',
    severity: 'warning',
    threshold: { metric: 'gateway.refusedPercent', when: 'above', value: 1, forSeconds: 30 },
  },
}

/** Their names, which the console says in the language of its reader. */
export const builtInRules: ReadonlySet<string> = new Set(Object.values(defaultRules).map(({ name }) => name))
