import type { Backup } from '../../api/types'
import { clock, dateTime } from '../../format'
import { t } from '../../language/text'

export const backupTone: Record<Backup['state'], string> = { complete: 'good', unfinished: 'warn', damaged: 'bad' }

/** The end of an id, which tells backups of one second apart. */
export const shortId = (id: string): string => id.slice(id.lastIndexOf('-') + 1)

export const kindWords = ({ base }: Pick<Backup, 'base'>): string =>
  base === undefined ? t('full') : t('on {base}', { base: shortId(base) })

/** The span of the point of restore: "2026-11-24 15:35:28 – 15:35:29". Unset: it has none yet. */
export function pointWords({ pointFrom, pointTo }: Pick<Backup, 'pointFrom' | 'pointTo'>): string | undefined {
  if (pointFrom === undefined || pointTo === undefined) return undefined
  const [from, to] = [Date.parse(pointFrom), Date.parse(pointTo)]
  const [first, last] = [dateTime(from), dateTime(to)]
  if (first === last) return first
  return `${first} – ${first.slice(0, 10) === last.slice(0, 10) ? clock(to) : last}`
}
