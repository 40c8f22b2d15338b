import type { CellBox } from '../../../charts/CellMap'
import type { ChartTheme } from '../../../charts/theme'
import { viridisColours } from '../../../charts/viridis'
import { nodeLevel, roleOf, type SegmentMap } from './segment-map'

/** From here on the scale, black text is more readable than white. Both have a contrast of at least 4.5 to 1. */
const BRIGHT = 112
/** Least size of a cell with a readable number, device pixels. */
const READABLE = 14

/** The text colour for a position on the scale. */
export const inkAt = (level: number): string => (level >= BRIGHT ? '#000' : '#fff')

type Context = CanvasRenderingContext2D

/** Primary: the whole cell; backup: its lower half, in another colour; others: nothing. */
export function paintRole(
  context: Context,
  { left, top, size }: CellBox,
  map: SegmentMap,
  cell: number,
  colours: ChartTheme,
): void {
  const segment = map.segments[cell]
  const role = segment === undefined ? 'other' : roleOf(map, segment)
  if (role === 'other') return
  context.fillStyle = role === 'primary' ? colours.accent : colours.warn
  const high = role === 'primary' ? size : Math.round(size / 2)
  context.fillRect(left, top + size - high, size, high)
}

/** The colour of the primary node, and its number if there is room. */
export function paintNode(
  context: Context,
  { left, top, size }: CellBox,
  { segments, ownership }: SegmentMap,
  cell: number,
  { mono }: ChartTheme,
): void {
  const node = segments[cell]?.owners?.[0]
  if (node === undefined || ownership === undefined) return
  const level = nodeLevel(node, ownership.nodes)
  context.fillStyle = viridisColours[level] ?? ''
  context.fillRect(left, top, size, size)
  const text = String(node)
  if (size < READABLE * text.length) return
  context.fillStyle = inkAt(level)
  context.font = `${Math.round(size * 0.55)}px ${mono}`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(text, left + size / 2, top + size / 2 + 1)
}

export function paintAmount(context: Context, { left, top, size }: CellBox, level: number | undefined): void {
  if (level === undefined) return
  context.fillStyle = viridisColours[level] ?? ''
  context.fillRect(left, top, size, size)
}
