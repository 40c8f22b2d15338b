export interface Series {
  name: string
  colour: 'accent' | 'good' | 'warn' | 'bad' | 'violet'
  /** solid with circles, or dashed with diamonds */
  look: 'solid' | 'dashed'
  /** by rising x, all above 0 */
  points: { x: number; y: number }[]
}

export interface LogAxis {
  name: string
  /** text of a value */
  text: (value: number) => string
  /** text of a round value at the axis */
  tick: (value: number) => string
}
