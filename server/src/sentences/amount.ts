// Quantities in sentences, in English, as the console writes them.

export type Unit = 'ms' | 'bytes' | 'percent' | 'per second' | 'count'

/** A quantity. It is written with its unit, as the reader writes numbers. */
export interface Amount {
  amount: number
  unit: Unit
  /** Exactly so many decimals. Unset: four digits that matter. */
  decimals?: number
}

const sizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const
const times = [
  [1, 's', 1000],
  [1e-3, 'ms', 1],
  [1e-6, 'µs', 1e-3],
  [0, 'ns', 1e-6],
] as const

export function amountText({ amount, unit, decimals }: Amount): string {
  if (unit === 'ms') return durationText(amount)
  if (unit === 'bytes') {
    const power = amount === 0 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log2(Math.abs(amount)) / 10))
    return `${round(amount / 1024 ** power)} ${sizes[power] ?? ''}`
  }
  const words = { percent: '%', 'per second': '/s', count: '' } as const
  return `${decimals === undefined ? round(amount) : amount.toFixed(decimals)}${words[unit]}`
}

/** 0.005 -> `5 µs`; it takes milliseconds. */
function durationText(ms: number): string {
  if (ms === 0) return '0 ms'
  const seconds = Math.abs(round(ms)) / 1000
  const [, name, unit] = times.find(([from]) => seconds >= from) ?? times[0]
  return `${round(ms / unit)} ${name}`
}

/** Four digits that matter. */
const round = (value: number): number => Number(value.toPrecision(4))
