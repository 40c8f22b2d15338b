import { t } from '../../language/text'

/** The name of a set on a page. */
export function setName(set: string): string {
  return set === '' ? t('without a set') : set
}
