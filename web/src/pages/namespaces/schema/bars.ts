import type { BinProfile, SetProfile } from '../../../api/types'
import { bytes, count, duration } from '../../../format'
import type { Bar } from './Histogram'
import { t } from '../../../language/text'

type Bucket = SetProfile['sizes'][number]

const barsOf = (buckets: readonly Bucket[], nameOf: (value: number) => string): Bar[] =>
  buckets.map(({ from, to, count: found }) => ({ name: rangeName(from, to, nameOf), count: found }))

function rangeName(from: number, to: number | undefined, nameOf: (value: number) => string): string {
  if (to === undefined) return t('from {from}', { from: nameOf(from) })
  return from === 0 ? t('under {to}', { to: nameOf(to) }) : t('{from} to {to}', { from: nameOf(from), to: nameOf(to) })
}

export const sizeBars = (buckets: readonly Bucket[]): Bar[] => barsOf(buckets, bytes)

export const lifeBars = ({ never, buckets }: SetProfile['lives']): Bar[] => [
  ...barsOf(buckets, duration),
  ...(never === 0 ? [] : [{ name: t('never expires'), count: never }]),
]

const number = (value: number): string =>
  Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(4)))

export const spreadBars = ({ of, buckets }: NonNullable<BinProfile['histogram']>): Bar[] =>
  of === 'length'
    ? lengthBars(buckets)
    : buckets.map(({ from, to, count: found }) => ({
        name: t('{from} to {to}', { from: number(from), to: number(to ?? from) }),
        count: found,
      }))

/** Lengths are whole, so a bucket is named by those that it has; one narrower than 1 may have none. */
function lengthBars(buckets: readonly Bucket[]): Bar[] {
  const last = buckets.length - 1
  return buckets.flatMap(({ from, to = from, count: found }, at) => {
    const [low, high] = [Math.ceil(from), at === last ? Math.floor(to) : Math.ceil(to) - 1]
    if (high < low) return []
    return [
      { name: low === high ? count(low) : t('{low} to {high}', { low: count(low), high: count(high) }), count: found },
    ]
  })
}
