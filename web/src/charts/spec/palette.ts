import type { SeriesColour } from './spec'

/** How a series looks beside its colour, so that nobody needs to tell colours apart. */
interface Look {
  /** lengths of dashes and gaps in pixels; empty: a solid line */
  dash: readonly number[]
  symbol: 'circle' | 'diamond' | 'triangle' | 'rect'
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
}

export const colours: readonly SeriesColour[] = [1, 2, 3, 4, 5, 'warn', 'bad']

export function lookOf(colour: SeriesColour): Look {
  return looks[colour]
}
