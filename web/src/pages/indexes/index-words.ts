import type { Index } from '../../api/types'
import { count, moment } from '../../format'
import { t } from '../../language/text'

/** What an index covers of a record. */
export function covered({ bin, path }: Pick<Index, 'bin' | 'path'>): string {
  if (bin === undefined) return t('whole record')
  return path === undefined ? bin : `${bin} · ${path}`
}

const origins: Record<Index['origin'], string> = {
  built: t('built from the records by a job'),
  snapshot: t('loaded from the snapshot of an orderly stop'),
  recovered: t('filled from the records at the start, for example after a crash'),
}

/** How this start of the engine got the index, in words. */
export const originWords = ({ state, origin }: Pick<Index, 'state' | 'origin'>): string =>
  state === 'building' && origin === 'built' ? t('being built from the records by a job') : origins[origin]

/** How often queries used it, and since when that is counted. */
export const usesWords = ({ uses, usesSince }: Pick<Index, 'uses' | 'usesSince'>): string =>
  t('{uses}, counted since {usesSince}', { uses: count(uses), usesSince: moment(Date.parse(usesSince)) })

/** The number of segments whose recent entries are merged now, or wait for it. */
export function mergeWords({ running, waiting }: Index['merges']): string {
  if (running === 0 && waiting === 0) return 'none'
  return t('running in {running, plural, one {# segment} other {# segments}}, waiting in {waiting}', {
    running,
    waiting: count(waiting),
  })
}
