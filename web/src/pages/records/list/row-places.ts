/** A list that can begin at a segment: how many there are, and the records of the set. */
export interface RowPlaces {
  segments: number
  records: number
}

// Keys are hashed, so each segment has about as many records of a set as any other.

/** The segment that has a row, counted from 1 in the order of the list. */
export function segmentOf(row: number, { segments, records }: RowPlaces): number {
  const at = Math.floor(((row - 1) * segments) / Math.max(1, records))
  return Math.max(0, Math.min(segments - 1, at))
}

/** About which row is the first one of a segment, counted from 1. */
export const firstRowOf = (segment: number, { segments, records }: RowPlaces): number =>
  Math.floor((segment * records) / segments) + 1
