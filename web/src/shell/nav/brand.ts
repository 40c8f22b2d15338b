/** The squares of the mark, of 6 by 6 units. */
export const squares = [
  { x: 1, y: 1 },
  { x: 9, y: 1, opacity: 0.55 },
  { x: 1, y: 9, opacity: 0.75 },
  { x: 9, y: 9, opacity: 0.3 },
] as const
