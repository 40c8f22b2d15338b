// Where backups are, in the choices and in the calls that the page shows.
import type { Target } from '../../api/backups'
import { t } from '../../language/text'

export const targetWords = (target: Target): string => target ?? t('the backup directory')

/** What the address of a call ends with. */
export const targetQuery = (target: Target): string =>
  target === undefined ? '' : `?target=${encodeURIComponent(target)}`

/** The directory, the buckets, and one that is chosen though it is not known. */
export const targetChoices = (names: readonly string[], chosen: Target): { value: string; label: string }[] => [
  { value: '', label: targetWords(undefined) },
  ...[...new Set([...names, ...(chosen === undefined ? [] : [chosen])])].map((name) => ({ value: name, label: name })),
]
