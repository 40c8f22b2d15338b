// Statistics of a sample in the shape of the API.
import type { BinProfile, PathProfile } from '../schemas/namespaces/profiles.js'
import { distinctOf, sharingOf } from './distinct.js'
import { canonical } from './number-text.js'
import { type BinStats, isIndexable, pathText, type Place } from './place-stats.js'
import { SIZE_BOUNDS, type ValueStats } from './value-stats.js'

const TOP = 10
const BUCKETS = 12

/** How many records the sample has, and how many there are. */
export interface Scale {
  sampled: number
  total: number
}

export type Bucket = { from: number; to?: number; count: number }

export function binProfileOf(bin: BinStats, scale: Scale): BinProfile {
  const { stats } = bin
  return {
    name: bin.name,
    ...valuesOf(stats, scale),
    sizes: bucketsOf(SIZE_BOUNDS, stats.sizes),
    meanBytes: rounded(stats.bytes / Math.max(1, stats.seen)),
    paths: bin.places().map((place) => pathProfileOf(place, scale)),
    otherPaths: bin.others,
  }
}

const pathProfileOf = ({ steps, stats }: Place, scale: Scale): PathProfile => ({
  path: pathText(steps),
  depth: steps.length,
  indexable: isIndexable(steps),
  ...valuesOf(stats, scale),
})

function valuesOf(stats: ValueStats, scale: Scale) {
  const counts = stats.counts()
  const ofAll = (part: number): number => (stats.seen === 0 ? 0 : part / stats.seen)
  const histogram = histogramOf(stats)
  const top = stats.top(TOP).filter(({ count }) => count > 1)
  return {
    records: stats.records,
    share: scale.sampled === 0 ? 0 : stats.records / scale.sampled,
    nulls: stats.nulls,
    types: [...stats.kinds]
      .toSorted(([, a], [, b]) => b - a)
      .map(([type, count]) => ({ type, count, share: ofAll(count) })),
    distinct: {
      sample: counts.of.length,
      atLeast: !counts.whole,
      set: distinctOf(counts, Math.round((counts.seen / Math.max(1, scale.sampled)) * scale.total)),
    },
    equal: sharingOf(counts, scale.sampled, scale.total),
    ...(stats.numbers !== undefined && {
      numbers: { least: canonical(stats.numbers.least), greatest: canonical(stats.numbers.greatest) },
    }),
    ...(stats.strings !== undefined && { strings: stats.strings }),
    ...(stats.lengths !== undefined && {
      lengths: {
        least: stats.lengths.least,
        greatest: stats.lengths.greatest,
        mean: rounded(stats.lengths.total / stats.lengths.count),
      },
    }),
    top: top.map(({ json, cut, count }) => ({ json, cut, count, share: ofAll(count) })),
    ...(histogram !== undefined && { histogram }),
    ...(stats.example !== undefined && { example: stats.example }),
  }
}

/** Those that are not empty. The last bound has no upper edge. */
export function bucketsOf(bounds: readonly number[], counts: readonly number[]): Bucket[] {
  return bounds.flatMap((from, at) => {
    const [count = 0, to] = [counts[at], bounds[at + 1]]
    return count === 0 ? [] : [{ from, ...(to !== undefined && { to }), count }]
  })
}

function histogramOf({ drawnNumbers, drawnLengths }: ValueStats): BinProfile['histogram'] {
  const of = drawnNumbers.length > 0 ? 'value' : 'length'
  const drawn = of === 'value' ? drawnNumbers : drawnLengths
  if (drawn.length === 0) return undefined
  return { of, buckets: equalBuckets(drawn) }
}

/** Empty ones included, so that they can be drawn side by side. */
function equalBuckets(drawn: readonly number[]): Bucket[] {
  const [least, greatest] = [Math.min(...drawn), Math.max(...drawn)]
  const width = greatest / BUCKETS - least / BUCKETS
  if (width === 0) return [{ from: least, to: greatest, count: drawn.length }]
  const counts = Array.from({ length: BUCKETS }, () => 0)
  for (const value of drawn) {
    const at = Math.min(BUCKETS - 1, Math.floor((value - least) / width))
    counts[at] = (counts[at] ?? 0) + 1
  }
  return counts.map((count, at) => ({
    from: least + at * width,
    to: at === BUCKETS - 1 ? greatest : least + (at + 1) * width,
    count,
  }))
}

const rounded = (value: number): number => Math.round(value * 100) / 100
