import type { SlowSplit } from '../../api/types'
import { t } from '../../language/text'

const PARTS = [
  { key: 'queueMs', label: t('queue'), colour: 'var(--fill-warn)' },
  { key: 'indexMs', label: t('index'), colour: 'var(--fill-accent)' },
  { key: 'deviceMs', label: t('device'), colour: 'var(--fill-good)' },
  { key: 'decodeMs', label: t('decode'), colour: '#3aa6b9' },
  { key: 'replyMs', label: t('reply'), colour: 'var(--fill-violet)' },
] as const

/** The parts that have time, in the order of an operation, with their share. */
export function splitParts(split: SlowSplit) {
  const total = Math.max(
    Number.MIN_VALUE,
    PARTS.reduce((sum, { key }) => sum + split[key], 0),
  )
  return PARTS.map((part) => ({
    ...part,
    ms: split[part.key],
    total,
    percent: Math.round((split[part.key] / total) * 100),
  })).filter(({ ms }) => ms > 0)
}

/** The part that took most. */
export const mainPart = (split: SlowSplit): string => splitParts(split).toSorted((a, b) => b.ms - a.ms)[0]?.label ?? '–'

/** The colours of the bars, for the legend. */
export const splitLegend = PARTS.map(({ label, colour }) => ({ label, colour }))
