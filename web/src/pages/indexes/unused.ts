import type { Index } from '../../api/types'
import { bytes, count } from '../../format'
import { t } from '../../language/text'

/** An index that no query has used for so long is called unused. */
export const UNUSED_MS = 14 * 86_400_000

/** Whether no query has used it for 14 days, and its uses have been counted for as long. */
export function isUnused({ state, lastUsedAt, usesSince }: Index, nowMs: number): boolean {
  return state === 'ready' && nowMs - Date.parse(lastUsedAt ?? usesSince) >= UNUSED_MS
}

/** Whether nobody knows yet: none has used it, and its uses have been counted for less than 14 days. */
const isUnknown = ({ state, lastUsedAt, usesSince }: Index, nowMs: number): boolean =>
  state === 'ready' && lastUsedAt === undefined && nowMs - Date.parse(usesSince) < UNUSED_MS

/** What dropping the unused ones would bring, and of how many nobody knows yet, each in a sentence. */
export function unusedWords(indexes: readonly Index[], nowMs: number): string[] {
  const unused = indexes.filter((index) => isUnused(index, nowMs))
  const unknown = indexes.filter((index) => isUnknown(index, nowMs)).length
  const memory = unused.reduce((sum, index) => sum + index.bytes, 0)
  return [
    unused.length === 0
      ? t('There is no index that queries have left unused for 14 days.')
      : t('Dropping these would free {memory} of memory, and writes would no longer keep them up to date.', {
          memory: bytes(memory),
        }),
    ...(unknown === 0
      ? []
      : [
          t('Not used yet, and counted for less than 14 days, so nobody knows: {unknown}.', {
            unknown: count(unknown),
          }),
        ]),
  ]
}
