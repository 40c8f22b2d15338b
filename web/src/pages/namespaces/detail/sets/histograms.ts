import type { ChartSpec } from '../../../../charts/spec/spec'
import { t } from '../../../../language/text'

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]
const KIB = 1024

interface Bucket {
  name: string
  from: number
  to: number
}

/** Times to live in seconds; a record lives ten years at most. */
const lives: readonly Bucket[] = [
  { name: 'under 1 min', from: 0, to: MINUTE },
  { name: t('1 min to 1 h'), from: MINUTE, to: HOUR },
  { name: '1 h to 1 day', from: HOUR, to: DAY },
  { name: '1 to 7 days', from: DAY, to: 7 * DAY },
  { name: '7 to 30 days', from: 7 * DAY, to: 30 * DAY },
  { name: t('30 days to 1 year'), from: 30 * DAY, to: 365 * DAY },
  { name: 'over 1 year', from: 365 * DAY, to: 3660 * DAY },
]

/** Sizes of records as stored, in bytes. */
const sizes: readonly Bucket[] = [
  { name: 'under 64 B', from: 0, to: 64 },
  { name: '64 to 256 B', from: 64, to: 256 },
  { name: '256 B to 1 KiB', from: 256, to: KIB },
  { name: '1 to 4 KiB', from: KIB, to: 4 * KIB },
  { name: '4 to 16 KiB', from: 4 * KIB, to: 16 * KIB },
  { name: '16 to 64 KiB', from: 16 * KIB, to: 64 * KIB },
  { name: '64 to 256 KiB', from: 64 * KIB, to: 256 * KIB },
  { name: t('256 KiB to 1 MiB'), from: 256 * KIB, to: KIB * KIB },
  { name: 'over 1 MiB', from: KIB * KIB, to: 64 * KIB * KIB },
]

/** Records that are read at most; of more, a share is. */
const MOST_RECORDS = 2_000_000
/** Decimals of a share. */
const SHARE_DIGITS = 1e6

const boundsOf = (buckets: readonly Bucket[]): number[] => [0, ...buckets.map(({ to }) => to)]

/** The scan that counts records by size and time to live. It reads no bodies. */
export function histogramsRequest(set: string | undefined, records: number) {
  const share = Math.ceil((MOST_RECORDS / Math.max(1, records)) * SHARE_DIGITS) / SHARE_DIGITS
  return {
    ...(set !== undefined && { set }),
    ...(share < 1 && { sample: { share } }),
    aggregate: {
      size: { op: 'histogram', meta: 'size', bounds: boundsOf(sizes) },
      ttl: { op: 'histogram', meta: 'ttl', bounds: boundsOf(lives) },
    },
  }
}

export type HistogramsRequest = ReturnType<typeof histogramsRequest>

/** One histogram as the gateway answers it. */
export interface Counted {
  buckets?: readonly { from: number; count: number }[]
  above?: number
  missing?: number
}

/** The bars of a histogram; `missing` is the name of the records without a value. */
function barsOf(buckets: readonly Bucket[], counted: Counted, title: string, missing?: string): ChartSpec {
  const at = new Map(counted.buckets?.map(({ from, count }) => [from, count]))
  const counts = buckets.map(({ from }) => at.get(from) ?? 0)
  counts[counts.length - 1] = (counts.at(-1) ?? 0) + (counted.above ?? 0)
  const names = buckets.map(({ name }) => name)
  if (missing !== undefined) {
    names.push(missing)
    counts.push(counted.missing ?? 0)
  }
  const all = counts.reduce((sum, count) => sum + count, 0)
  return {
    x: { name: title, scale: 'names', format: 'plain', values: names.map((_, place) => place), names },
    y: { scale: 'linear', format: 'short' },
    series: [{ id: 'records', name: t('records'), colour: 1, look: 'bars', values: counts }],
    facts: [
      { name: t('of all'), format: 'percent', values: counts.map((count) => (all === 0 ? null : (count / all) * 100)) },
    ],
  }
}

export const sizeSpec = (counted: Counted): ChartSpec => barsOf(sizes, counted, 'size')
export const lifeSpec = (counted: Counted): ChartSpec => barsOf(lives, counted, t('time left'), t('never expires'))
