import type { Alert, AlertEvent, AlertPage } from '../../api/types'
import { latencyEdge, fixed } from '../../format'
import { t } from '../../language/text'

/** Colour of a state; a pending alert is no problem yet. */
export const stateTone: Record<Alert['state'], string> = { ok: '', pending: 'accent', firing: 'bad', resolved: 'good' }
export const kindTone: Record<AlertEvent['kind'], string> = { firing: 'bad', resolved: 'good', test: 'accent' }

const order: Alert['state'][] = ['firing', 'pending', 'resolved', 'ok']

/** Rules that the server makes by itself. */
const builtIn: Readonly<Record<string, string>> = {
  'Reads within 1 ms': t('Reads within 1 ms'),
  'Namespace failed': t('Namespace failed'),
  'Writes stopped': t('Writes stopped'),
  'Namespace nearly full': t('Namespace nearly full'),
  'Disk of the data directory nearly full': t('Disk of the data directory nearly full'),
  'Data directory takes no writes': t('Data directory takes no writes'),
  'History of metrics not written': t('History of metrics not written'),
  'Requests refused because of overload': t('Requests refused because of overload'),
}

/** The name of a rule; one that somebody made is as they wrote it. */
export const ruleName = (name: string): string => (Object.hasOwn(builtIn, name) ? (builtIn[name] ?? name) : name)

/** Alerts that need a look: those that fire first, then those that are pending or were resolved within the hour. */
export function notable(alerts: readonly Alert[]): Alert[] {
  return alerts
    .filter(({ state, target }) => state !== 'ok' || target?.missed === true)
    .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || b.since.localeCompare(a.since))
}

export const alertKey = ({ ruleId, namespace = '', disk = '' }: Alert): string => `${ruleId} ${namespace} ${disk}`

/** The health as a headline: what is wrong if it is one thing, or how many things are. */
export function alertHeadline({ health, firing, missed }: AlertPage): string {
  if (health.reasons.length === 0) return t('Healthy')
  if (health.reasons.length === 1) return health.text
  const parts = [
    ...(firing > 0 ? [t('{firing, plural, one {# alert fires} other {# alerts fire}}', { firing })] : []),
    ...(missed > 0 ? [t('{missed, plural, one {# target is missed} other {# targets are missed}}', { missed })] : []),
  ]
  return parts.join(', ')
}

/** A share in percent, rounded down so that a missed target never looks met. */
export function shareText(percent: number | undefined, target: number): string {
  if (percent === undefined) return '–'
  const decimals = Math.max(2, String(target).split('.')[1]?.length ?? 0)
  const factor = 10 ** decimals
  return `${fixed(Math.floor(percent * factor + 1e-9) / factor, decimals)}%`
}

export const withinText = (us: number): string => latencyEdge(us * 1000)
