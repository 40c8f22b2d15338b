import type { PagesLoad } from '../../../api/types'
import type { Frame } from '../../../live/frame'
import { hitRatio } from './reads'

/** What the pages of a namespace did in one step of a range; undefined without a frame that has them. */
export interface PagesColumn {
  start: number
  load: PagesLoad | undefined
}

type Group = 'index' | 'slotMap' | 'records'

export function pagesColumns(
  frames: readonly { start: number; frame: Frame | undefined }[],
  namespace: string,
): PagesColumn[] {
  return frames.map(({ start, frame }) => ({
    start,
    load: frame?.devices?.find((device) => device.namespace === namespace)?.pages,
  }))
}

/** Columns to search for the newest load; the last column may have no frame yet. */
const NEWEST = 2

export const newestLoad = (columns: readonly PagesColumn[]): PagesLoad | undefined =>
  columns.slice(-NEWEST).findLast(({ load }) => load !== undefined)?.load

/** Cache hits of page reads, percent; NaN without reads. */
export const hitPercent = (load: PagesLoad, group: Group): number =>
  hitRatio(load[group].hits, load[group].misses) * 100

export const pageReads = (load: PagesLoad, group: Group): number => load[group].hits + load[group].misses
