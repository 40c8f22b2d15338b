import type { Drawing, Packed, PackedValues } from './protocol'

type Numbers = readonly (number | null)[]

export function pack({ spec, ...rest }: Drawing): Packed {
  return { ...rest, spec: { ...spec, series: spec.series.map(packed), facts: spec.facts?.map(packed) } }
}

export function unpack({ spec, ...rest }: Packed): Drawing {
  return { ...rest, spec: { ...spec, series: spec.series.map(unpacked), facts: spec.facts?.map(unpacked) } }
}

/** No chart has a value that is not a number, so it stands for none. */
function packed<T extends { values: Numbers }>(of: T): PackedValues<T> {
  const values = new Float64Array(of.values.length)
  for (let index = 0; index < values.length; index++) values[index] = of.values[index] ?? Number.NaN
  return { ...of, values }
}

const unpacked = <T extends { values: Float64Array }>(of: T): Omit<T, 'values'> & { values: Numbers } => ({
  ...of,
  values: Array.from(of.values, (value) => (Number.isNaN(value) ? null : value)),
})
