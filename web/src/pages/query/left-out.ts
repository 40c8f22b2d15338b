import type { CsvLeftOut } from '../../api/types'
import { t } from '../../language/text'

/** Most bins that a job names. */
const MOST_NAMED = 16

/** Values without a CSV column, in words. */
export const leftOutWords = ({ values, bins }: CsvLeftOut): string =>
  [
    t(
      '{values, plural, one {# value had no column and is} other {# values had no column and are}} missing from the file.',
      {
        values,
      },
    ),
    ...(bins.length === 0
      ? []
      : bins.length < MOST_NAMED
        ? [t('Bins: {names}.', { names: bins.join(', ') })]
        : [t('Bins: {names}, and possibly others.', { names: bins.join(', ') })]),
    t('Add columns with select to include them.'),
  ].join(' ')
