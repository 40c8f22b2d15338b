import type { Mark } from '../../live/frame'

/** Events that share a chip, oldest first. Places and widths are shares of the width of the lane. */
export interface EventGroup {
  marks: readonly Mark[]
  /** place of the first */
  from: number
  /** the box of the chip; it reaches to the left of its place if it has no room at the right */
  left: number
  right: number
}

/** Joins events whose chips would overlap. `widthOf`: of a chip with the words of its newest event and their number. */
export function eventGroups(
  marks: readonly Mark[],
  placeOf: (timeMs: number) => number,
  widthOf: (newest: Mark, count: number) => number,
): EventGroup[] {
  const group = (joined: readonly [Mark, ...Mark[]], from: number): EventGroup => {
    const width = widthOf(joined.at(-1) ?? joined[0], joined.length)
    const left = from + width > 1 ? Math.max(0, from - width) : from
    return { marks: joined, from, left, right: left === from ? from + width : from }
  }
  const groups: EventGroup[] = []
  for (const mark of marks.toSorted((a, b) => a.timeMs - b.timeMs)) {
    const place = placeOf(mark.timeMs)
    if (place < 0 || place > 1) continue
    let last = group([mark], place)
    // A chip that grew to the left may meet one more.
    for (let before = groups.at(-1); before !== undefined && before.right > last.left; before = groups.at(-1)) {
      groups.pop()
      last = group([...before.marks, ...last.marks] as [Mark, ...Mark[]], before.from)
    }
    groups.push(last)
  }
  return groups
}
