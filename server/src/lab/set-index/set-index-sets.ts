// The sets of experiment set-index: shares of the namespace, and fixed sizes if those are smaller.

/** Share of the first set's records, in hundredths of a percent. */
const SHARES = [
  { set: 'A', parts: 10_000 },
  { set: 'B', parts: 500 },
  { set: 'C', parts: 5 },
] as const

const SIZES = [
  { set: 'D', records: 10_000 },
  { set: 'E', records: 1_000 },
  { set: 'F', records: 100 },
] as const

export interface SetSize {
  set: string
  records: number
}

/** The sets, largest first; the first is the whole namespace while it is alone. */
export function setsOf(records: number): SetSize[] {
  const shares = SHARES.map(({ set, parts }) => ({ set, records: Math.floor((records * parts) / 10_000) }))
  const least = shares.at(-1)?.records ?? 0
  return [...shares, ...SIZES.filter((size) => size.records < least)]
}
