import type { Index } from '../../api/types'
import { count, moment, plural } from '../../format'

/** What an index covers of a record. */
export function covered({ bin, path }: Pick<Index, 'bin' | 'path'>): string {
  if (bin === undefined) return 'whole record'
  return path === undefined ? bin : `${bin} · ${path}`
}

const origins: Record<Index['origin'], string> = {
  built: 'built from the records by a job',
  snapshot: 'loaded from the snapshot of an orderly stop',
  recovered: 'filled from the records at the start, for example after a crash',
}

/** How this start of the engine got the index, in words. */
export const originWords = ({ state, origin }: Pick<Index, 'state' | 'origin'>): string =>
  state === 'building' && origin === 'built' ? 'being built from the records by a job' : origins[origin]

/** How often queries used it, and since when that is counted. */
export const usesWords = ({ uses, usesSince }: Pick<Index, 'uses' | 'usesSince'>): string =>
  `${count(uses)}, counted since ${moment(Date.parse(usesSince))}`

/** The number of segments whose recent entries are merged now, or wait for it. */
export function mergeWords({ running, waiting }: Index['merges']): string {
  if (running === 0 && waiting === 0) return 'none'
  return `running in ${plural(running, 'segment')}, waiting in ${count(waiting)}`
}
