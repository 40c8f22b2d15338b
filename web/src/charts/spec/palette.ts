import type { SeriesColour } from './spec'

/** How a series looks beside its colour, so that nobody needs to tell colours apart. */
interface Look {
  /** lengths of dashes and gaps in pixels; empty: a solid line */
  dash: readonly number[]
  symbol: 'circle' | 'diamond' | 'triangle' | 'rect'
  /** whether it has a dark edge, because it lies over all colours */
  edged?: boolean
  /** the CSS variable of the colour */
  variable: string
}

const looks: Readonly<Record<SeriesColour, Look>> = {
  1: { dash: [], symbol: 'circle', variable: '--series-1' },
  2: { dash: [6, 3], symbol: 'diamond', variable: '--series-2' },
  3: { dash: [2, 2], symbol: 'triangle', variable: '--series-3' },
  4: { dash: [8, 3, 2, 3], symbol: 'rect', variable: '--series-4' },
  5: { dash: [1, 3], symbol: 'circle', variable: '--series-5' },
  warn: { dash: [6, 3], symbol: 'diamond', variable: '--fill-warn' },
  bad: { dash: [3, 2], symbol: 'triangle', variable: '--fill-bad' },
  p50: { dash: [], symbol: 'circle', variable: '--heat-p50', edged: true },
  p99: { dash: [6, 3], symbol: 'diamond', variable: '--heat-p99', edged: true },
  'p99.9': { dash: [2, 2], symbol: 'triangle', variable: '--heat-p999', edged: true },
  max: { dash: [0, 40], symbol: 'circle', variable: '--heat-max', edged: true },
}

export const colours: readonly SeriesColour[] = [1, 2, 3, 4, 5, 'warn', 'bad', 'p50', 'p99', 'p99.9', 'max']

export function lookOf(colour: SeriesColour): Look {
  return looks[colour]
}
