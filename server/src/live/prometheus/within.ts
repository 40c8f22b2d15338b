// The metrics of a caller who sees only some namespaces.
import type { Reach } from '../../auth/reach.js'
import type { Family, HistogramSample, Sample } from './family.js'

/** Only samples of these namespaces. A metric without any is left out, as those of the whole server are. */
export function familyWithin(family: Family, reach: Reach): Family[] {
  const sees = ({ labels }: Sample | HistogramSample): boolean => reach.in(labels['namespace'])
  if (family.type === 'histogram') return [{ ...family, samples: [...family.samples].filter(sees) }]
  const samples = family.samples.filter(sees)
  return samples.length === 0 ? [] : [{ ...family, samples }]
}
