import type { View } from '../spec/scale'
import type { ChartSpec, Fact, Series } from '../spec/spec'
import type { ChartTheme } from '../theme'

/** All that a picture of a chart depends on. Sizes are CSS pixels. */
export interface Drawing {
  spec: ChartSpec
  theme: ChartTheme
  view: View
  width: number
  height: number
  /** device pixels per CSS pixel */
  ratio: number
}

export type PackedValues<T> = Omit<T, 'values'> & { values: Float64Array }

/** A drawing as it is sent: its numbers are copied as bytes, because a list of numbers is copied one by one. */
export type Packed = Omit<Drawing, 'spec'> & {
  spec: Omit<ChartSpec, 'series' | 'facts'> & {
    series: PackedValues<Series>[]
    facts?: PackedValues<Fact>[] | undefined
  }
}

/** What the page tells the worker, several orders in one message. `chart` numbers the charts of the page. */
export type Order =
  | { type: 'open'; chart: number; canvas: OffscreenCanvas }
  | { type: 'draw'; chart: number; drawing: Packed }
  | { type: 'save'; chart: number; drawing: Packed; title: string }
  | { type: 'close'; chart: number }

/** What the worker answers to `draw` and `save`, several answers in one message. */
export type Answer =
  | { type: 'drawn'; chart: number }
  | { type: 'saved'; chart: number; picture: Blob }
  | { type: 'failed'; chart: number; of: 'draw' | 'save'; message: string }

/** Says at the canvas that it has a picture, until when the style shows that it is coming, and what the picture is for. */
export function markDrawn(canvas: HTMLCanvasElement, { theme: { paper, dark } }: Drawing): void {
  const drawn = paper ? 'paper' : dark ? 'dark' : 'light'
  if (canvas.dataset['drawn'] !== drawn) canvas.dataset['drawn'] = drawn
}

/** Draws one chart, in a worker or in the page. */
export interface Renderer {
  /** A drawing that comes while another is drawn replaces the one that waits. */
  draw: (drawing: Drawing) => void
  /** The chart with its title and legend as a PNG. */
  save: (drawing: Drawing, title: string) => Promise<Blob>
  close: () => void
}
