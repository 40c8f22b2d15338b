import { evenTicks, timeTicks } from '../../charts/axes'
import { colourWord } from '../../charts/paint/colour-word'
import type { Scene } from '../../charts/paint/painter'
import type { ChartTheme } from '../../charts/theme'
import { sloIndex } from '../../live/latency/buckets'
import type { LiveView } from '../../live/view'

export type ShareScale = '90' | '0' | 'nines'

export const SHARE_EDGES = [
  { edgeNs: 250e3, label: '≤ 250 µs' },
  { edgeNs: 1e6, label: '≤ 1 ms' },
  { edgeNs: 5e6, label: '≤ 5 ms' },
  { edgeNs: 50e6, label: '≤ 50 ms' },
] as const

const EDGES = SHARE_EDGES.map(({ edgeNs }) => sloIndex(edgeNs))

export const TARGET_SHARE = 0.99
const MOST_NINES = 6

export function shareColours(colours: ChartTheme): string[] {
  return [colours.good, colours.accent, colours.warn, colours.bad]
}

/** Nines of a share: 0.99 -> 2, 0.999 -> 3; a full share is drawn at the top. */
export function nines(value: number): number {
  return value >= 1 ? MOST_NINES : Math.min(MOST_NINES, 0 - Math.log10(1 - value))
}

/** Share of operations within 250 us, 1, 5 and 50 ms, as bands (widest painted first) or as lines of nines. */
export function shareScene(view: LiveView, scale: ShareScale, colours: ChartTheme): Scene {
  const [floor, ceiling] = scale === 'nines' ? [0, MOST_NINES] : [scale === '90' ? 90 : 0, 100]
  const place = (value: number): number => {
    const read = scale === 'nines' ? nines(value) : value * 100
    return (Math.max(floor, read) - floor) / (ceiling - floor)
  }
  return {
    colours,
    paint: (raster, ratio) => {
      const { columns } = view
      const { width, height } = raster
      const thin = Math.round(ratio)
      const y = (at: number): number => Math.round((height - thin) * (1 - at))
      const value =
        scale === 'nines'
          ? evenTicks(0, MOST_NINES, 3, ninesLabel)
          : evenTicks(floor, ceiling, 2, (percent) => `${percent}%`)
      raster.clear(colourWord(colours.panel))
      for (const { at } of value) raster.rect(0, y(at), width, y(at) + thin, colourWord(colours.line))
      const paints = shareColours(colours).map((css) => colourWord(css))
      const thick = Math.round(1.6 * ratio)
      // If lines overlap, the line of the narrowest target stays visible.
      const order = scale === 'nines' ? [3, 2, 1, 0] : [0, 1, 2, 3]
      const before = new Float64Array(EDGES.length).fill(Number.NaN)
      columns.forEach(({ totals }, at) => {
        const left = Math.round((at * width) / columns.length)
        const right = Math.round(((at + 1) * width) / columns.length)
        if (totals === undefined || totals.n === 0) {
          before.fill(Number.NaN)
          return
        }
        // A band reaches down to the next narrower target, a line to its previous value.
        let bottom = height
        for (const index of order) {
          const top = y(place((totals.slo[EDGES[index]!] ?? 0) / totals.n))
          if (scale === 'nines') {
            const last = before[index]!
            raster.rect(left, top, right, top + thick, paints[index]!)
            if (!Number.isNaN(last) && last !== top)
              raster.rect(left, Math.min(last, top), left + thick, Math.max(last, top) + thick, paints[index]!)
            before[index] = top
          } else if (top < bottom) {
            raster.rect(left, top, right, bottom, paints[index]!)
            bottom = top
          }
        }
      })
      raster.dashes(y(place(TARGET_SHARE)), Math.round(4 * ratio), colourWord(colours.ink), thin)
      return { time: timeTicks(view.range), value }
    },
  }
}

function ninesLabel(value: number): string {
  if (value === 0) return '0%'
  return value === MOST_NINES ? '100%' : `${(100 - 10 ** (2 - value)).toFixed(Math.max(0, value - 2))}%`
}
