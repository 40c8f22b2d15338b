import type { Alert, AlertEvent, AlertPage } from '../../api/types'
import { latencyEdge, fixed } from '../../format'
import { t } from '../../language/text'
import { serverText } from '../../language/server-text'

/** Colour of a state; a pending alert is no problem yet. */
export const stateTone: Record<Alert['state'], string> = { ok: '', pending: 'accent', firing: 'bad', resolved: 'good' }
export const kindTone: Record<AlertEvent['kind'], string> = { firing: 'bad', resolved: 'good', test: 'accent' }

const order: Alert['state'][] = ['firing', 'pending', 'resolved', 'ok']

/** The name of a rule. Those that the server makes by itself have one in each language. */
export const ruleName = (name: string): string => serverText(name)

/** Alerts that need a look: those that fire first, then those that are pending or were resolved within the hour. */
export function notable(alerts: readonly Alert[]): Alert[] {
  return alerts
    .filter(({ state, target }) => state !== 'ok' || target?.missed === true)
    .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || b.since.localeCompare(a.since))
}

export const alertKey = ({ ruleId, namespace = '', disk = '' }: Alert): string => `${ruleId} ${namespace} ${disk}`

/** What is wrong, most severe first. */
export const healthReasons = ({ reasons, said }: AlertPage['health']): string[] =>
  reasons.map((reason, at) => serverText(reason, said?.[at]))

/** The health as a headline: what is wrong if it is one thing, or how many things are. */
export function alertHeadline({ health, firing, missed }: AlertPage): string {
  if (health.reasons.length === 0) return t('Healthy')
  if (health.reasons.length === 1) return healthReasons(health)[0] ?? health.text
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
