// Values in the texts of alerts, as the console writes them.
import type { Metric } from './metrics.js'

const sizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const
const times = [
  [1, 's', 1000],
  [1e-3, 'ms', 1],
  [1e-6, 'µs', 1e-3],
  [0, 'ns', 1e-6],
] as const

export function amount(value: number, unit: Exclude<Metric['unit'], 'flag'>): string {
  if (unit === 'ms') return durationText(value)
  if (unit === 'bytes') {
    const power = value === 0 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log2(Math.abs(value)) / 10))
    return `${round(value / 1024 ** power)} ${sizes[power] ?? ''}`
  }
  const words = { percent: '%', 'per second': '/s', count: '' } as const
  return `${round(value)}${words[unit]}`
}

/** 0.005 -> `5 µs`; it takes milliseconds. */
export function durationText(ms: number): string {
  if (ms === 0) return '0 ms'
  const seconds = Math.abs(round(ms)) / 1000
  const [, name, unit] = times.find(([from]) => seconds >= from) ?? times[0]
  return `${round(ms / unit)} ${name}`
}

/** Four digits that matter. */
const round = (value: number): number => Number(value.toPrecision(4))
