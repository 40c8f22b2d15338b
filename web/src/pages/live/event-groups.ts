import type { Mark } from '../../live/frame'

/** Events that lie too near to each other for a chip each, oldest first. */
export interface EventGroup {
  marks: readonly Mark[]
  /** places of the first and the last, 0 to 1 of the width */
  from: number
  to: number
}

/** Joins events whose chips would overlap. `apart`: least distance of two chips, as a share of the width. */
export function eventGroups(marks: readonly Mark[], placeOf: (timeMs: number) => number, apart: number): EventGroup[] {
  const groups: { marks: Mark[]; from: number; to: number }[] = []
  for (const mark of marks.toSorted((a, b) => a.timeMs - b.timeMs)) {
    const place = placeOf(mark.timeMs)
    if (place < 0 || place > 1) continue
    const last = groups.at(-1)
    if (last !== undefined && place - last.from < apart) {
      last.marks.push(mark)
      last.to = place
    } else groups.push({ marks: [mark], from: place, to: place })
  }
  return groups
}
