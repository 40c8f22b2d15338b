import type { CsvLeftOut } from '../../api/types'
import { plural } from '../../format'

/** Bins that a job names at most. */
const MOST_NAMED = 16

/** What a CSV file has no columns for, in words. */
export const leftOutWords = ({ values, bins }: CsvLeftOut): string =>
  `${plural(values, 'value')} had no column and ${values === 1 ? 'is' : 'are'} not in the file` +
  `${bins.length === 0 ? '' : `, of the bins ${bins.join(', ')}${bins.length < MOST_NAMED ? '' : ' and maybe others'}`}. ` +
  'Choose columns with select to have them.'
