import { movedFrom } from '../spec/moved'
import type { Drawing, Packed, PackedValues } from './protocol'

type Numbers = readonly (number | null)[]

export function pack({ spec, ...rest }: Drawing): Packed {
  return { ...rest, spec: { ...spec, series: spec.series.map(packed), facts: spec.facts?.map(packed) } }
}

export function unpack({ spec, ...rest }: Packed): Drawing {
  return { ...rest, spec: { ...spec, series: spec.series.map(unpacked), facts: spec.facts?.map(unpacked) } }
}

const bytes = new WeakMap<Numbers, Float64Array>()

/** No chart has a value that is not a number, so it stands for none. */
function packed<T extends { values: Numbers }>(of: T): PackedValues<T> {
  return { ...of, values: bytesOf(of.values) }
}

/** A list that moved on copies the bytes that it still has. */
function bytesOf(values: Numbers): Float64Array {
  let made = bytes.get(values)
  if (made !== undefined) return made
  made = new Float64Array(values.length)
  const { old, from = 0, kept = 0 } = movedFrom(values) ?? {}
  const before = old && bytes.get(old as Numbers)
  if (before !== undefined) made.set(before.subarray(from, from + kept))
  for (let index = before === undefined ? 0 : kept; index < made.length; index++)
    made[index] = values[index] ?? Number.NaN
  bytes.set(values, made)
  return made
}

const unpacked = <T extends { values: Float64Array }>(of: T): Omit<T, 'values'> & { values: Numbers } => ({
  ...of,
  values: Array.from(of.values, (value) => (Number.isNaN(value) ? null : value)),
})
