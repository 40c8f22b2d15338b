import type { BinProfile, SetProfile } from '../../../api/types'
import { count, plural } from '../../../format'

type Sample = SetProfile['sample']

/** Which records were read, in a sentence. */
export function sampleWords({ method, records, of }: Sample): string {
  switch (method) {
    case 'all':
      return `All ${plural(records, 'record')} were read.`
    case 'share':
      return `${count(records)} of ${plural(of, 'record')} were read: a uniform random share, chosen by a hash of the digest.`
    case 'first':
      return `${plural(records, 'record')} were read: the first that the engine found, because a cluster counts none.`
  }
}

const stops: Record<NonNullable<Sample['stopped']>, string> = {
  records: 'The reading ended early, because there were twice as many records as expected. The sample is not uniform.',
  bytes: 'The reading ended early, at 64 MiB. The sample is not uniform.',
  time: 'The reading ended early, after 10 seconds. The sample is not uniform.',
}

/** What the figures leave out, each in a sentence. */
export function gapWords({ sample, otherBins }: SetProfile): string[] {
  const { stopped, damaged, tooLarge } = sample
  return [
    ...(stopped === undefined ? [] : [stops[stopped]]),
    ...(damaged === 0 ? [] : [`Records that cannot be read are not in the figures: ${count(damaged)}.`]),
    ...(tooLarge === 0 ? [] : [`Records longer than 1 MiB are not in the figures of bins: ${count(tooLarge)}.`]),
    ...(otherBins === 0
      ? []
      : [`There are more than 1,000 bins. Values of bins that are left out: ${count(otherBins)}.`]),
  ]
}

type Distinct = BinProfile['distinct']

/** The number of different values in the set; `sampled`: it is an estimate. */
export function distinctText({ sample, atLeast, set }: Distinct, sampled: boolean): string {
  if (!sampled) return atLeast ? `over ${count(sample)}` : count(sample)
  return `about ${count(set.about)}`
}

/** The same in a sentence. */
export function distinctWords({ sample, atLeast, set }: Distinct, sampled: boolean): string {
  const seen = atLeast
    ? `The sample has more than ${plural(sample, 'different value')}.`
    : `The sample has ${plural(sample, 'different value')}.`
  if (!sampled) return seen
  if (set.from === set.to) return `${seen} The whole set probably has no others.`
  return `${seen} For the whole set that means about ${count(set.about)}, between ${count(set.from)} and ${count(set.to)}.`
}

/** How many records a test for one of the values finds, in a sentence. */
export function equalWords({ about, from, to }: BinProfile['equal']): string {
  const found = `A test for one of them finds about ${plural(about, 'record')}`
  return from === to ? `${found}.` : `${found}, between ${count(from)} and ${count(to)}.`
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
  if (share > 0 && share < 0.001) return 'under 0.1%'
  return `${Number((share * 100).toFixed(share < 0.01 || share > 0.99 ? 1 : 0))}%`
}
