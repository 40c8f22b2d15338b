import type { CellBox } from '../../../charts/CellMap'
import type { ChartColours } from '../../../charts/theme'
import { viridisColours } from '../../../charts/viridis'
import { nodeLevel, roleOf, type SegmentMap } from './segment-map'

/** From this place of the scale on black is read better than white; either has a contrast of 4.5 to 1 at least. */
const BRIGHT = 112
/** Device pixels of a cell in which a number can be read. */
const READABLE = 14

/** The colour of a text on a place of the scale. */
export const inkAt = (level: number): string => (level >= BRIGHT ? '#000' : '#fff')

type Context = CanvasRenderingContext2D

/** Primary: the whole cell; backup: its lower half, in another colour; others: nothing. */
export function paintRole(
  context: Context,
  { left, top, size }: CellBox,
  map: SegmentMap,
  cell: number,
  colours: ChartColours,
): void {
  const segment = map.segments[cell]
  const role = segment === undefined ? 'other' : roleOf(map, segment)
  if (role === 'other') return
  context.fillStyle = role === 'primary' ? colours.accent : colours.warn
  const high = role === 'primary' ? size : Math.round(size / 2)
  context.fillRect(left, top + size - high, size, high)
}

/** The colour of the primary node, and its number where there is room. */
export function paintNode(
  context: Context,
  { left, top, size }: CellBox,
  { segments, ownership }: SegmentMap,
  cell: number,
  { mono }: ChartColours,
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
