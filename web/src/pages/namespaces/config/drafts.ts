import type { NamespaceConfig, NamespacePatch, Ownership } from '../../../api/types'
import { ownershipOf, ownershipProblems, type OwnershipTexts } from '../../../components/fields/ownership'
import { bytes, duration } from '../../../format'
import { t } from '../../../language/text'
import { unitWords } from '../../../components/api-words'

/** Settings that are numbers, with their units and the words of their values. */
export const numbers = {
  defaultTtlSeconds: {
    unit: unitWords('seconds'),
    words: (value: number) => (value === 0 ? t('never expire') : duration(value)),
  },
  maxRecordBytes: { unit: unitWords('bytes'), words: bytes },
  stopWritesPercent: {
    unit: unitWords('percent'),
    words: (value: number) => t('writes that add data are refused at {value}% full', { value }),
  },
  evictAtPercent: {
    unit: unitWords('percent'),
    words: (value: number) =>
      value === 0
        ? t('no eviction')
        : t('at {value}% full, the records that expire first are removed early', { value }),
  },
} as const

export type NumberKey = keyof typeof numbers
export const isNumberKey = (key: string): key is NumberKey => Object.hasOwn(numbers, key)

/** What was typed and not applied yet. Unset: as it is. */
export interface Drafts extends Partial<Record<NumberKey, string>> {
  reads?: 'committed' | 'latest'
  /** null: none */
  ownership?: OwnershipTexts | null
}

const isWhole = (text: string): boolean => /^\d{1,15}$/.test(text)

/** What is wrong with a number as it was typed. */
export const problemOf = (text: string | undefined): string | undefined =>
  text === undefined || isWhole(text) ? undefined : t('Enter a whole number.')

/** Whether everything that was typed can be sent. */
export function isReady(drafts: Drafts): boolean {
  const wrong = (Object.keys(numbers) as NumberKey[]).some((key) => problemOf(drafts[key]) !== undefined)
  const { ownership } = drafts
  const owned = ownership === undefined || ownership === null || Object.keys(ownershipProblems(ownership)).length === 0
  return !wrong && owned
}

/** The settings that the drafts change. Call it only if they are ready. */
export function patchOf(drafts: Drafts, config: NamespaceConfig): NamespacePatch {
  const patch: NamespacePatch = {}
  for (const key of Object.keys(numbers) as NumberKey[]) {
    const text = drafts[key]
    if (text !== undefined && Number(text) !== config[key]) patch[key] = Number(text)
  }
  if (drafts.reads !== undefined && drafts.reads !== config.reads) patch.reads = drafts.reads
  if (drafts.ownership !== undefined) {
    const wanted = drafts.ownership === null ? null : ownershipOf(drafts.ownership)
    if (!isSameOwnership(wanted, config.ownership ?? null)) patch.ownership = wanted
  }
  return patch
}

const isSameOwnership = (a: Ownership | null, b: Ownership | null): boolean =>
  a?.nodes === b?.nodes && a?.owners === b?.owners && a?.self === b?.self

/** A configuration as text to edit. */
export const jsonOf = (config: NamespaceConfig): string => JSON.stringify(config, null, 2)

/**
 * The patch that an edited text asks for: all members that differ. A removed `ownership` is one that is taken away; other
 * members that are gone stay as they are.
 */
export function patchOfJson(text: string, config: NamespaceConfig): NamespacePatch {
  const wanted = JSON.parse(text) as unknown
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted))
    throw new SyntaxError('Enter one JSON object with settings.')
  const now: Record<string, unknown> = { ...config }
  const differing = Object.entries(wanted).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(now[key]))
  const isDisowned = config.ownership !== undefined && !('ownership' in wanted)
  return { ...(Object.fromEntries(differing) as NamespacePatch), ...(isDisowned && { ownership: null }) }
}
