import { t } from '../../language/text'

const words: Record<string, string> = {
  'set-index': t('the set index'),
  'set-column': t('the set column'),
  all: t('every record'),
  'device-sequential': t('the device, block by block'),
  'token-ranges': t('every row of the cluster'),
}

/** The method of a plan or job, in words. */
export function methodWords(method: string): string {
  return words[method] ?? method
}
