// How many different values a set has, and how many records share one, from a uniform sample of its records.

/** Counts of the values of a sample. */
export interface Counts {
  /** Records or values that were counted, those without an entry included. */
  seen: number
  /** How often each value came. */
  of: readonly number[]
  /** False: the values of some were not kept, because there were too many. */
  whole: boolean
}

export interface Between {
  /** The estimate. */
  about: number
  from: number
  to: number
}

/** 95% of results lie within. */
const Z = 1.96
/** Of as many pairs on average, at least one comes in 95% of samples. */
const PAIRS = 3

/**
 * Different values among `total`, by the guaranteed-error estimator (Charikar and others, 2000): values that came once stand
 * for as many others as the sample left out, in proportion to the square root. The bounds are those of the same paper.
 */
export function distinctOf({ seen, of, whole }: Counts, total: number): Between {
  const least = of.length
  if (seen === 0) return { about: 0, from: 0, to: 0 }
  if (seen >= total && whole) return { about: least, from: least, to: least }
  const once = of.filter((count) => count === 1).length + (whole ? 0 : seen - sum(of))
  const more = of.filter((count) => count > 1).length
  const factor = Math.max(1, total / seen)
  const within = (value: number): number => Math.round(Math.min(Math.max(value, least), Math.max(total, least)))
  const guaranteed = Math.sqrt(factor) * once + more
  // If no value came twice, fewer than this would have given a pair in 19 of 20 samples (the birthday problem).
  const pairless = once === seen ? seen ** 2 / (2 * PAIRS) : 0
  return { about: within(Math.max(guaranteed, pairless)), from: least, to: within(factor * once + more) }
}

/**
 * Records of `total` that have the same value as another, if values are asked for as often as they come: from the rarest value
 * of the sample to the most frequent one, each with its 95% interval. `seen` are records of the sample that have a value.
 */
export function sharingOf(counts: Counts, sampled: number, total: number): Between {
  const { of, whole } = counts
  if (of.length === 0 || sampled === 0) return { about: 0, from: 0, to: 0 }
  if (sampled >= total && whole) {
    return { about: Math.round(sum(of.map((n) => n * n)) / sum(of)), from: least(of), to: most(of) }
  }
  const pairs = sum(of.map((n) => n * (n - 1)))
  const kept = sum(of)
  // Unbiased for the chance that two records share their value.
  const chance = kept > 1 ? pairs / (kept * (kept - 1)) : 1
  const holders = (kept / sampled) * total
  const from = least(of) === 1 || !whole ? 1 : Math.max(1, Math.floor(lower(least(of), sampled) * total))
  const to = Math.ceil(upper(most(of), sampled) * total)
  const about = Math.min(Math.max(1, Math.round(chance * holders)), to)
  return { about: Math.max(about, from), from, to }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
const least = (numbers: readonly number[]): number => numbers.reduce((low, one) => Math.min(low, one), Infinity)
const most = (numbers: readonly number[]): number => numbers.reduce((high, one) => Math.max(high, one), 0)

/** The interval of Wilson for `hits` among `tries`. */
function wilson(hits: number, tries: number): { middle: number; half: number } {
  // Several values of a list are of one record.
  const share = Math.min(1, hits / tries)
  const weight = 1 + Z ** 2 / tries
  const middle = (share + Z ** 2 / (2 * tries)) / weight
  const half = (Z * Math.sqrt((share * (1 - share)) / tries + Z ** 2 / (4 * tries ** 2))) / weight
  return { middle, half }
}

function lower(hits: number, tries: number): number {
  const { middle, half } = wilson(hits, tries)
  return Math.max(0, middle - half)
}

function upper(hits: number, tries: number): number {
  const { middle, half } = wilson(hits, tries)
  return Math.min(1, middle + half)
}
