import type { Alert } from '../../api/types'
import { shareText, withinText } from '../../components/alerts/alert-words'
import { t } from '../../language/text'

export interface TargetTile {
  name: string
  value: string
  note: string
  tone: 'good' | 'bad' | undefined
  withinNs: number
  /** What its sparkline shows. */
  namespace: string | undefined
  op: string | undefined
}

const empty = { tone: undefined, withinNs: 1e6, namespace: undefined, op: undefined } as const

/**
 * The latency target that is furthest from being met, from the same answer as the health: so the tile shows no missed
 * target that the health does not name.
 */
export function targetTile(alerts: readonly Alert[] | undefined): TargetTile {
  const targets = (alerts ?? []).flatMap(({ target, namespace }) => {
    if (target === undefined) return []
    const judged = target.windows.filter(({ window }) => window === 'minute' || window === 'hour')
    const missing = judged.find(({ enough, sharePercent = 100 }) => enough && sharePercent < target.percent)
    const shown = missing ?? judged.find(({ sharePercent }) => sharePercent !== undefined)
    return shown?.sharePercent === undefined ? [] : [{ target, namespace, shown, share: shown.sharePercent }]
  })
  const worst = targets.toSorted(
    (a, b) =>
      Number(b.target.missed) - Number(a.target.missed) ||
      Number(b.shown.enough) - Number(a.shown.enough) ||
      a.share - b.share,
  )[0]
  if (worst === undefined) {
    const note = alerts === undefined ? t('not known yet') : t('no operations with a target in the last hour')
    return { ...empty, name: t('Within target'), value: '–', note }
  }
  const { target, namespace, shown, share } = worst
  const { op, percent } = target
  return {
    name: t('Within {withinUs}', { withinUs: withinText(target.withinUs) }),
    value: shareText(share, percent),
    note:
      namespace === undefined
        ? t('{op}, last {window} · target {percent}%', { op, window: shown.window, percent })
        : t('{op} of {namespace}, last {window} · target {percent}%', { op, namespace, window: shown.window, percent }),
    tone: target.missed ? 'bad' : shown.enough ? 'good' : undefined,
    withinNs: target.withinUs * 1000,
    namespace,
    op: op === 'all' ? undefined : op,
  }
}
