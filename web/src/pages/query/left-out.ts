import type { CsvLeftOut } from '../../api/types'
import { plural } from '../../format'

/** Most bins that a job names. */
const MOST_NAMED = 16

/** Values without a CSV column, in words. */
export const leftOutWords = ({ values, bins }: CsvLeftOut): string =>
  `${plural(values, 'value')} had no column and ${values === 1 ? 'is' : 'are'} missing from the file` +
  `${bins.length === 0 ? '' : `, of the bins ${bins.join(', ')}${bins.length < MOST_NAMED ? '' : ' and possibly others'}`}. ` +
  'Add columns with select to include them.'
