import { t } from '../../language/text'

const words: Record<string, string> = {
  'set-index': t('the set index'),
  'set-column': t('the set column'),
  all: t('every record'),
  'device-sequential': t('the device, block by block'),
  'token-ranges': t('every row of the cluster'),
}

const reads: Record<string, string> = {
  'set-index': t('Reads the set index'),
  'set-column': t('Reads the set column'),
  all: t('Reads every record'),
  'device-sequential': t('Reads the device, block by block'),
  'token-ranges': t('Reads every row of the cluster'),
}

/** What a scan reads, as a sentence. */
export const readsWords = (method: string): string => reads[method] ?? t('Reads {method}', { method })

/** The method of a plan or job, in words. */
export function methodWords(method: string): string {
  return words[method] ?? method
}
