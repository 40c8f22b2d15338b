import type { FormatName } from './formats'

/** A span of x values, for example times in milliseconds. */
export interface Range {
  from: number
  to: number
}

/** Slots of the palette. Reads are 1, writes 2, indexes 3, overhead 5. `warn` and `bad` are states. The others lie over a heatmap. */
export type SeriesColour = 1 | 2 | 3 | 4 | 5 | 'warn' | 'bad' | 'p50' | 'p99' | 'p99.9' | 'max'

export interface XAxis {
  /** the words of the axis, and the head of the table's first column */
  name: string
  /** `time` and `linear` are even, `names` are places 0, 1, 2 … with words */
  scale: 'time' | 'linear' | 'log' | 'names'
  format: FormatName
  /** rising */
  values: readonly number[]
  /** the span that is drawn; unset: from the first to the last value */
  range?: Range | undefined
  /** width of a column that begins at each value; unset: values are points */
  step?: number | undefined
  /** of an axis that counts seconds since a time: that time, Unix milliseconds */
  originMs?: number | undefined
  /** words of the places */
  names?: readonly string[] | undefined
  /** whether the words stand at the axis, too */
  titled?: boolean | undefined
}

export interface YAxis {
  format: FormatName
  /** `nines` draws shares of 1 by their distance from 1 */
  scale: 'linear' | 'log' | 'nines'
  name?: string | undefined
  /** the axis begins here: on a log axis a power of ten; unset on it: slightly below the lowest value */
  from?: number | undefined
  /** the axis ends here; unset: at a round value above the highest */
  to?: number | undefined
  /** an axis without `to` reaches at least to here */
  least?: number | undefined
}

export interface Series {
  /** stays the same while the series is the same */
  id: string
  name: string
  colour: SeriesColour
  /** `points` joins values over gaps, `dots` joins none; `bars` stand side by side at names or columns */
  look?: 'line' | 'area' | 'points' | 'dots' | 'bars' | undefined
  /** one value per x; null: none */
  values: readonly (number | null)[]
  /** which values have too few samples to be trusted; they are drawn grey */
  thin?: readonly boolean[] | undefined
}

/** Something that happened at an x. */
export interface Mark {
  at: number
  name: string
}

/** Spans of x that are shaded, with one name in the legend. */
export interface Spans {
  name: string
  ranges: readonly Range[]
}

export interface Target {
  name: string
  at: number
}

/** Figures beside the series: in the table, at the cursor and in the CSV, but not drawn. */
export interface Fact {
  name: string
  format: FormatName
  values: readonly (number | null)[]
}

/** How often values occurred, below the series: one column of levels per x. The y axis is logarithmic. */
export interface Heat {
  /** edges of the rows on the y axis, rising, one more than rows */
  edges: readonly number[]
  /** by column: below the axis, the rows from the lowest, above the axis; 0: none, 1 to 255: few to many */
  levels: Uint8Array
}

/** A chart as plain data: what it shows, never how. It can be sent to a worker. */
export interface ChartSpec {
  x: XAxis
  y: YAxis
  series: readonly Series[]
  marks?: readonly Mark[] | undefined
  spans?: Spans | undefined
  targets?: readonly Target[] | undefined
  facts?: readonly Fact[] | undefined
  /** the words for a span whose facts say that there was nothing to measure; it is no gap */
  idle?: string | undefined
  heat?: Heat | undefined
}
