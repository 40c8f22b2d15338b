import type { BinProfile, SetProfile } from '../../../api/types'
import { atMost, count, fixed } from '../../../format'
import { t } from '../../../language/text'

type Sample = SetProfile['sample']

/** Which records were read, in a sentence. */
export function sampleWords({ method, records, of }: Sample): string {
  switch (method) {
    case 'all':
      return t('All {records, plural, one {# record} other {# records}} were read.', { records })
    case 'share':
      return t(
        '{records} of {of, plural, one {# record} other {# records}} were read: a uniform random share, chosen by a hash of the digest.',
        { records: count(records), of },
      )
    case 'first':
      return t(
        '{records, plural, one {# record} other {# records}} were read: the first that the engine found, because a cluster counts none.',
        { records },
      )
  }
}

const stops: Record<NonNullable<Sample['stopped']>, string> = {
  records: t(
    'The reading ended early, because there were twice as many records as expected. The sample is not uniform.',
  ),
  bytes: t('The reading ended early, at 64 MiB. The sample is not uniform.'),
  time: t('The reading ended early, after 10 seconds. The sample is not uniform.'),
}

/** What the figures leave out, each in a sentence. */
export function gapWords({ sample, otherBins }: SetProfile): string[] {
  const { stopped, damaged, tooLarge } = sample
  return [
    ...(stopped === undefined ? [] : [stops[stopped]]),
    ...(damaged === 0
      ? []
      : [t('Records that cannot be read are not in the figures: {damaged}.', { damaged: count(damaged) })]),
    ...(tooLarge === 0
      ? []
      : [t('Records longer than 1 MiB are not in the figures of bins: {tooLarge}.', { tooLarge: count(tooLarge) })]),
    ...(otherBins === 0
      ? []
      : [
          t('There are more than 1,000 bins. Values of bins that are left out: {otherBins}.', {
            otherBins: count(otherBins),
          }),
        ]),
  ]
}

type Distinct = BinProfile['distinct']

/** The number of different values in the set; `sampled`: it is an estimate. */
export function distinctText({ sample, atLeast, set }: Distinct, sampled: boolean): string {
  if (!sampled) return atLeast ? t('over {sample}', { sample: count(sample) }) : count(sample)
  return t('about {about}', { about: count(set.about) })
}

/** The same in a sentence. */
export function distinctWords({ sample, atLeast, set }: Distinct, sampled: boolean): string {
  const seen = atLeast
    ? t('The sample has more than {sample, plural, one {# different value} other {# different values}}.', { sample })
    : t('The sample has {sample, plural, one {# different value} other {# different values}}.', { sample })
  if (!sampled) return seen
  if (set.from === set.to) return t('{seen} The whole set probably has no others.', { seen })
  return t('{seen} For the whole set that means about {about}, between {from} and {to}.', {
    seen,
    about: count(set.about),
    from: count(set.from),
    to: count(set.to),
  })
}

/** How many records a test for one of the values finds, in a sentence. */
export function equalWords({ about, from, to }: BinProfile['equal']): string {
  const found = t('A test for one of them finds about {about, plural, one {# record} other {# records}}', { about })
  return from === to
    ? t('{found}.', { found })
    : t('{found}, between {from} and {to}.', { found, from: count(from), to: count(to) })
}

/** The least and the greatest value; undefined if the values have no order. */
export function extremesOf({
  numbers,
  strings,
}: Pick<BinProfile, 'numbers' | 'strings'>): [string, string] | undefined {
  if (numbers !== undefined) return [numbers.least, numbers.greatest]
  return strings === undefined ? undefined : [JSON.stringify(strings.least), JSON.stringify(strings.greatest)]
}

/** A share of one as a percentage, with one decimal if it is below one percent. */
export function percent(share: number): string {
  if (share > 0 && share < 0.001) return t('under {value}', { value: `${fixed(0.1, 1)}%` })
  return `${atMost(share * 100, share < 0.01 || share > 0.99 ? 1 : 0)}%`
}
