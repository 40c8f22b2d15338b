import { viridis } from '../viridis'
import { EDGE_ROW, indexAt, shareAt, xAt } from './geometry'
import type { Scale } from './scale'
import type { Heat, XAxis } from './spec'

const HATCH_STEP = 5
const HATCH = 0.5

interface Area {
  x: Scale
  y: Scale
  /** device pixels */
  width: number
  height: number
  ratio: number
}

/** The pixels of a heatmap as little-endian RGBA words. Rows at both ends, hatched, are beyond the axis. */
export function heatPixels({ edges, levels }: Heat, axis: XAxis, { x, y, width, height, ratio }: Area): Uint32Array {
  const words = new Uint32Array(width * height)
  const rows = edges.length - 1
  const edge = Math.round(EDGE_ROW * ratio)
  const columnAt = Int32Array.from({ length: width }, (_, pixel) => {
    const at = xAt((pixel + 0.5) / width, x)
    const index = indexAt(axis.values, at, axis.step) ?? -1
    const start = axis.values[index] ?? Infinity
    return at >= start && at < start + (axis.step ?? 0) ? index : -1
  })
  const levelAt = edges.map((value) => edge + (1 - shareAt(value, y)) * (height - 2 * edge))
  const paintRow = (row: number, from: number, to: number, hatched: boolean): void => {
    for (let top = Math.max(0, from); top < Math.min(height, to); top++) {
      for (let left = 0; left < width; left++) {
        const column = columnAt[left] ?? -1
        const level = column < 0 ? 0 : (levels[column * (rows + 2) + row] ?? 0)
        if (level === 0) continue
        const word = viridis[level] ?? 0
        const isHatch = hatched && (left + top) % Math.round(HATCH_STEP * ratio) < ratio
        words[top * width + left] = isHatch ? inverted(word) : word
      }
    }
  }
  for (let row = 0; row < rows; row++) {
    const [top, bottom] = [Math.round(levelAt[row + 1] ?? 0), Math.round(levelAt[row] ?? 0)]
    // The rows at the ends of the axis may reach beyond it.
    paintRow(row + 1, Math.max(edge, top), Math.min(height - edge, Math.max(bottom, top + 1)), false)
  }
  paintRow(0, height - edge + 1, height, true)
  paintRow(rows + 1, 0, edge - 1, true)
  return words
}

/** Half way to white on dark colours, and to black on bright ones. */
function inverted(word: number): number {
  const bright = (word & 255) * 0.3 + ((word >>> 8) & 255) * 0.59 + ((word >>> 16) & 255) * 0.11 > 127
  const mix = (shift: number): number =>
    (Math.round(((word >>> shift) & 255) * (1 - HATCH) + (bright ? 0 : 255) * HATCH) & 255) << shift
  return ((255 << 24) | mix(16) | mix(8) | mix(0)) >>> 0
}
